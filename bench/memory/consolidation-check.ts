import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { type CheckLine, share } from './check-line.ts'
import { readCorpus } from './corpus.ts'
import { atOnce } from './memory-host.ts'
import type { Feed, PickUps } from './pick-ups.ts'

interface Merged {
  readonly id: string
  readonly body: string
  readonly status: string
  readonly evidence: readonly string[]
}
const agent = 'learner'

/** C21: learnings become patterns once, whoever writes at once; what they said is still found; and all of it can be undone. */
export async function checkConsolidation(pickUps: PickUps, groups: number): Promise<CheckLine[]> {
  const { model } = pickUps
  model.reset()
  model.answer = () => ({ headline: '', statement: '' })
  return [
    ...(await mergedAndBack(pickUps, groups)),
    await atTheSameTime(pickUps),
    await withoutModel(pickUps),
  ]
}

/** Memories of the corpus in threes, asked with its own questions. */
async function mergedAndBack(pickUps: PickUps, groups: number): Promise<CheckLine[]> {
  const { memories, queries } = readCorpus()
  const feed = await pickUps.open([agent])
  const asked = new Set(queries.flatMap(({ answers }) => (answers.length === 1 ? answers : [])))
  const chosen = memories.filter(({ id }) => asked.has(id)).slice(0, groups * 3)
  // Nobody looks while they are written, and nobody thinks that there is something to look at.
  await pickUps.stopWorkers()
  const ids = new Map<string, string>()
  for (const [at, { id, title, body }] of chosen.entries()) {
    const memory = { agent_id: agent, kind: 'learning', title, body, tags: [`group-${Math.floor(at / 3)}`] }
    ids.set(id, (await feed.caller.made<{ id: string }>('POST', '/memories', memory)).id)
  }
  const due = (is_due: boolean) =>
    feed.host.sql('update memory.tag_uses set is_due = $2 where brand_id = $1', [
      feed.workspace.brand_id,
      is_due,
    ])
  await due(false)
  await pickUps.onlyWorker()
  await feed.host.vectorsMade(feed.workspace)
  const questions = queries.flatMap(({ query, answers: [answer = ''] }) => {
    const id = ids.get(answer)
    return id ? [{ query, id }] : []
  })
  const before = await seen(feed, questions)
  await due(true)
  await looked(feed)
  const patterns = await list(feed, { kinds: 'pattern', status: 'active' })
  await feed.host.vectorsMade(feed.workspace)
  const evidence = new Map(patterns.flatMap(({ id, evidence }) => evidence.map((source) => [source, id])))
  const during = await seen(
    feed,
    questions.map(({ query, id }) => ({ query, id: evidence.get(id) ?? id })),
  )
  for (const { id } of patterns) await feed.caller.made('POST', `/memories/${id}/unmerge`, {})
  await feed.host.vectorsMade(feed.workspace)
  const after = await seen(feed, questions)
  const same = (a: string[], b: string[]) => a.filter((text, at) => text === b[at]).length
  for (const query of during.missed.filter((query) => !before.missed.includes(query)))
    console.error(`C21 no longer found: ${query}`)
  const part = during.hits / Math.max(1, before.hits)
  return [
    {
      check: 'C21',
      what: `${chosen.length} learnings, three with each tag: patterns; questions whose answer is among the first five, of ${questions.length}, before and after`,
      measured: `${patterns.length}; ${before.hits} and ${during.hits}: ${share(part)}`,
      bar: `${groups}; 0.95`,
      is_met:
        patterns.length === groups &&
        evidence.size === chosen.length &&
        (part >= 0.95 || questions.length < 40),
      is_promise: true,
    },
    {
      check: 'C21',
      what: 'un-merged: learnings active again, searches with the order of before, statistics',
      measured: `${after.active} of ${chosen.length}; ${same(after.found, before.found)} of ${questions.length}; ${after.stats === before.stats ? 'equal' : 'NOT equal'}`,
      bar: 'all; all; equal',
      is_met:
        after.active === chosen.length &&
        same(after.found, before.found) === questions.length &&
        after.stats === before.stats,
      is_promise: true,
    },
  ]
}

const writers = 50
async function atTheSameTime(pickUps: PickUps): Promise<CheckLine> {
  const feed = await pickUps.open([agent])
  const learn = (title: string) =>
    feed.caller.made('POST', '/memories', {
      agent_id: agent,
      kind: 'learning',
      title,
      body: `What we know about it: ${title}.`,
      tags: ['raced'],
    })
  for (const title of ['The first', 'The second']) await learn(title)
  await atOnce(
    writers,
    Array.from({ length: writers }, (_, at) => `The third of ${at}`),
    async (title) => {
      await learn(title)
    },
  )
  await looked(feed)
  const patterns = await list(feed, { kinds: 'pattern', status: 'active' })
  return {
    check: 'C21',
    what: `${writers} writers of the third learning at once: patterns`,
    measured: String(patterns.length),
    bar: '1',
    is_met: patterns.length === 1,
    is_promise: true,
  }
}

/** The same learnings of two agents, with a model that adds nothing, and with one that is away. */
async function withoutModel(pickUps: PickUps): Promise<CheckLine> {
  const bodies: string[] = []
  for (const mode of ['good', 'error'] as const) {
    pickUps.model.mode = mode
    const feed = await pickUps.open([agent])
    for (const [at, title] of [
      'Retries need a key',
      'Caches start cold',
      'Limits are per workspace',
    ].entries())
      await feed.caller.made('POST', '/memories', {
        agent_id: agent,
        kind: 'learning',
        title,
        body: `Seen ${at + 1} times in the billing service.`,
        tags: ['billing'],
      })
    await looked(feed)
    const [pattern] = await list(feed, { kinds: 'pattern', status: 'active' })
    bodies.push(pattern?.body ?? `none with ${mode}`)
  }
  pickUps.model.mode = 'good'
  // The breaker of that worker is open by now.
  await pickUps.stopWorkers()
  const isSame = bodies[0] === bodies[1] && bodies[0]?.includes('Retries need a key') === true
  if (!isSame) console.error(`C21 without a model: ${JSON.stringify(bodies)}`)
  return {
    check: 'C21',
    what: 'the pattern when the model is away, beside that of a model that adds nothing',
    measured: isSame ? 'equal' : 'NOT equal',
    bar: 'equal',
    is_met: isSame,
    is_promise: true,
  }
}

async function seen(feed: Feed, questions: readonly { query: string; id: string }[]) {
  const found: string[] = []
  const missed: string[] = []
  let hits = 0
  for (const { query, id } of questions) {
    const { memories } = await feed.caller.found(agent, query, 5)
    found.push(memories.map((memory) => memory.id).join())
    if (memories.some((memory) => memory.id === id)) hits += 1
    else missed.push(query)
  }
  const { text: stats } = await feed.caller.call('GET', `/memories/stats?agent_id=${agent}`)
  const active = (await list(feed, { kinds: 'learning', status: 'active' })).length
  return { found, hits, stats, active, missed }
}

async function list(feed: Feed, query: Readonly<Record<string, string>>): Promise<Merged[]> {
  const wanted = new URLSearchParams({ agent_id: agent, limit: '100', ...query })
  const { memories } = await feed.caller.made<{ memories: { id: string }[] }>('GET', `/memories?${wanted}`)
  const whole: Merged[] = []
  for (const { id } of memories) whole.push(await feed.caller.made<Merged>('GET', `/memories/${id}`))
  return whole
}

/** Nothing that was written before is still to be looked at. */
async function looked(feed: Feed): Promise<void> {
  await waitFor(async () => {
    const due = await feed.host.sql(
      `select 1 from memory.tag_uses where brand_id = $1 and is_due
       union all select 1 from memory.merges where brand_id = $1 and is_stale limit 1`,
      [feed.workspace.brand_id],
    )
    return due.length === 0
  }, 120_000)
}
