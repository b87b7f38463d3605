import { type CheckLine, share } from './check-line.ts'
import type { Corpus, CorpusQuery } from './corpus.ts'
import type { devSet } from './dev-set.ts'
import { atOnce, type MemoryCaller } from './memory-host.ts'
import { byHttp, judge, type Loaded } from './quality-check.ts'
import { hitAt } from './recall-quality.ts'

/** C5: what is there is found, and what is not there does not look as if it were. */
export async function checkDevSet(
  caller: MemoryCaller,
  { names }: Loaded,
  { memories, plain, all }: ReturnType<typeof devSet>,
  { queries, unanswerable }: Corpus,
): Promise<CheckLine[]> {
  const search = byHttp(caller, names)
  const found = hitAt(5, await judge(plain, search))
  const foundOfAll = hitAt(5, await judge(all, search))
  return [
    {
      check: 'C5',
      what: `${memories.length} memories of developers, ${plain.length} questions that share a word with their answer`,
      measured: `hit@5 ${share(found)}; with those that share none ${share(foundOfAll)} of ${all.length}`,
      bar: 'hit@5 0.95',
      is_met: found >= 0.95,
      is_promise: true,
    },
    await checkNoAnswer(caller, unanswerable),
    await countNeedless(caller, names, queries),
  ]
}

const oneOf = 3

/** The price of it: first results that are the answer and marked all the same. */
async function countNeedless(
  caller: MemoryCaller,
  names: Loaded['names'],
  queries: readonly CorpusQuery[],
): Promise<CheckLine> {
  let right = 0
  let marked = 0
  const some = queries.filter((_, at) => at % oneOf === 0)
  await atOnce(4, some, async ({ agent, query, answers }) => {
    const [top] = (await caller.found(agent, query, 1)).memories
    if (!answers.includes(names.get(top?.id ?? '') ?? '')) return
    right += 1
    if (top?.low_match === true) marked += 1
  })
  return {
    check: 'C5',
    what: `first results that answer the question, of ${some.length} questions: marked as a low match`,
    measured: `${marked} of ${right}`,
    informational: 'what marking the others costs',
  }
}

async function checkNoAnswer(caller: MemoryCaller, queries: readonly CorpusQuery[]): Promise<CheckLine> {
  let marked = 0
  await atOnce(4, queries, async ({ agent, query }) => {
    const [top] = (await caller.found(agent, query, 5)).memories
    if (top === undefined || top.low_match === true) marked += 1
  })
  return {
    check: 'C5',
    what: 'questions without an answer: the top result is marked as a low match',
    measured: `${marked} of ${queries.length}`,
    bar: '18 of 20',
    is_met: marked >= 0.9 * queries.length,
    is_promise: true,
  }
}
