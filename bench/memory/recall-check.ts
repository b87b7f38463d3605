import type { StandInModel } from '@crewhall/testkit/stand-in-model.ts'
import { type CheckLine, share } from './check-line.ts'
import type { Corpus, CorpusQuery } from './corpus.ts'
import { atOnce, type Found, type MemoryCaller, type MemoryHost, type Workspace } from './memory-host.ts'
import type { Callers, Loaded } from './quality-check.ts'
import { hitAt, type Judged } from './recall-quality.ts'
import { oneLine, readPrompt } from './shown-notes.ts'

const mostTokens = 16_000
/** English has four to five; an estimate that is too high is on the safe side. */
const charactersOfToken = 3
const longAgent = 'long-notes'

interface Recalled {
  /** What the model was shown, and what came back. */
  readonly candidates: Judged[]
  readonly returned: Judged[]
  /** Recalls that found something: without candidates there is nothing to ask. */
  readonly found: number
  readonly calls: number
  readonly reranked: number
}

/** C3, C4 and C9: what a model gets to see, and that its order is the one that is returned. */
export async function checkRecall(
  host: MemoryHost,
  callers: Callers,
  model: StandInModel,
  loaded: Loaded,
  corpus: Corpus,
  isJudged: boolean,
): Promise<CheckLine[]> {
  const { queries } = corpus
  const fused = await recallAll(callers.fused, model, loaded, queries, 'oracle')
  const text = await recallAll(callers.text, model, loaded, queries, 'oracle')
  const some = queries.filter((_, at) => at % 8 === 0)
  const reversed = await recallAll(callers.fused, model, loaded, some, 'reversed')
  const isReversed = (returned: readonly string[], candidates: readonly string[]) =>
    candidates.length > 1 && returned.join() === candidates.toReversed().slice(0, returned.length).join()
  const turned = some.filter((_, at) =>
    isReversed(reversed.returned[at]?.returned ?? [], reversed.candidates[at]?.returned ?? []),
  ).length
  const hits = { fused: hitAt(100, fused.candidates), text: hitAt(100, text.candidates) }
  const oracle = hitAt(5, fused.returned)
  const verdict = (is_met: boolean) =>
    isJudged ? { is_met, is_promise: true } : { informational: 'a part of the corpus' }
  const all = [fused, text, reversed]
  const sum = (count: 'found' | 'calls' | 'reranked') => all.reduce((total, each) => total + each[count], 0)
  const [found, calls, reranked] = [sum('found'), sum('calls'), sum('reranked')]
  const { tokens, candidates } = await recallLong(host, loaded.workspace, callers.text, model, corpus)
  return [
    {
      check: 'C3',
      what: 'candidates that a recall shows the model',
      measured: `hit@100 ${share(hits.fused)}`,
      bar: 'hit@100 0.97',
      ...verdict(hits.fused >= 0.97),
    },
    {
      check: 'C3',
      what: 'the same with embeddings switched off',
      measured: `hit@100 ${share(hits.text)}`,
      bar: 'hit@100 0.94',
      ...(isJudged ? { is_met: hits.text >= 0.94 } : verdict(true)),
      limited_by: 'questions without a common word, which no search by words can find',
    },
    {
      check: 'C4',
      what: 'recall with a model that knows the answers',
      measured: `hit@5 ${share(oracle)}; embeddings off ${share(hitAt(5, text.returned))}`,
      bar: 'hit@5 0.96',
      ...verdict(oracle >= 0.96),
    },
    {
      check: 'C4',
      what: 'recall with a model that reverses what it is shown: exactly reversed',
      measured: `${turned} of ${some.length}`,
      bar: 'all',
      is_met: turned === some.length,
      is_promise: true,
    },
    {
      check: 'C9',
      what: `calls of the model in ${found} recalls that found something; prompt with ${candidates} candidates of 10,000 characters`,
      measured: `${calls}, ${reranked} reranked; ${tokens} tokens at ${charactersOfToken} characters each`,
      bar: `${found}; ${mostTokens}`,
      is_met: calls === found && reranked === found && candidates === 100 && tokens <= mostTokens,
      is_promise: true,
    },
  ]
}

async function recallAll(
  caller: MemoryCaller,
  model: StandInModel,
  { names, placed }: Loaded,
  queries: readonly CorpusQuery[],
  kind: 'oracle' | 'reversed',
): Promise<Recalled> {
  const read = readPrompt(placed.map(({ memory }) => memory))
  const byQuery = new Map(queries.map((query, at) => [oneLine(query.query), { ...query, at }]))
  const candidates: Judged[] = []
  const returned: Judged[] = []
  model.reset()
  model.answer = (prompt) => {
    const shown = read(prompt)
    const { at = -1, answers = [] } = byQuery.get(shown.query) ?? {}
    candidates[at] = { returned: shown.names.map((name) => name ?? ''), answers }
    const numbers = shown.names.map((_, n) => n + 1)
    if (kind === 'reversed') return { ids: numbers.toReversed() }
    const right = numbers.filter((n) => answers.includes(shown.names[n - 1] ?? ''))
    // One that finds nothing that helps still has to name something.
    return { ids: right.length > 0 ? right : [1] }
  }
  let reranked = 0
  let found = 0
  await atOnce(4, queries, async ({ agent, query, answers }, at) => {
    const { status, headers, text } = await caller.recall(agent, query, 50)
    if (status !== 200) throw new Error(`a recall returned ${status}: ${text.slice(0, 500)}`)
    if (headers.get('x-reranked') === 'true') reranked += 1
    const { memories } = JSON.parse(text) as Found
    if (memories.length > 0) found += 1
    returned[at] = { returned: memories.map(({ id }) => names.get(id) ?? id), answers }
    // Nothing was found, so nobody was asked.
    candidates[at] ??= { returned: [], answers }
  })
  return { candidates, returned, found, calls: model.calls.chat, reranked }
}

/** The longest prompt there can be: as many candidates as a recall takes, each as long as a memory may be. */
async function recallLong(
  host: MemoryHost,
  workspace: Workspace,
  caller: MemoryCaller,
  model: StandInModel,
  { memories }: Corpus,
) {
  await host.addAgents(workspace, [longAgent])
  const prose = memories.map(({ body }) => body).join(' ')
  const body = prose.repeat(Math.ceil(10_000 / prose.length)).slice(0, 10_000)
  for (let n = 0; n < 110; n += 1) {
    const title = `Anchorage ${n}: ${prose.slice(n * 10, n * 10 + 400)}`
    await caller.made('POST', '/memories', { agent_id: longAgent, kind: 'fact', title, body })
  }
  model.reset()
  model.answer = () => ({ ids: [1] })
  await caller.recall(longAgent, `anchorage ${prose}`.slice(0, 2000), 50)
  const { system = '', user = '' } = model.prompts[0] ?? {}
  return {
    tokens: Math.ceil((system.length + user.length) / charactersOfToken),
    candidates: user.split('\n').length - 2,
  }
}
