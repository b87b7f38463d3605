import { untilFrozen } from '@crewhall/testkit/frozen.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import { startStandInModel } from '@crewhall/testkit/stand-in-model.ts'
import { quickToGiveUp } from '@crewhall/testkit/take-over.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { WorkerCrew } from '@crewhall/testkit/worker-crew.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { LearningWorkspace } from './consolidation-world.ts'

const model = await startStandInModel()
const llm = { LLM_URL: model.url, LLM_MODEL: 'stand-in' }
const server = useServer('product')
let work: LearningWorkspace
let crew: WorkerCrew
let uninterrupted: unknown
beforeAll(async () => {
  work = await LearningWorkspace.open(server)
  model.answer = () => ({ title: 'Alpha, beta, gamma', statement: 'We know about alpha, beta and gamma.' })
  const bot = await learned('uninterrupted')
  crew = await WorkerCrew.open({
    database: server.database.name,
    size: 3,
    start: (env) => server.start('worker', { ...llm, ...quickToGiveUp, ...env }),
  })
  uninterrupted = await outcome(bot)
})
beforeEach(() => {
  model.calls.chat = 0
})
afterAll(async () => {
  await crew.close()
  await model.close()
})

const rounds = scaled(20, 2)
const timeout = 60_000 * rounds

async function learned(agent: string): Promise<LearningWorkspace> {
  const bot = await work.withAgent(agent)
  await bot.learnAll(['Alpha', 'Beta', 'Gamma'], ['greek'])
  return bot
}
/** All that tells one run from another, without ids and times. */
async function outcome(bot: LearningWorkspace) {
  const { id, evidence, title, body, tags, version, confidence } = await bot.pattern()
  const sources = await Promise.all(
    evidence.map(async (each) => {
      const { status, version, merged_into } = await bot.get(each)
      const actions = (await bot.changes(each)).map(({ action }) => action)
      return { status, version, is_here: merged_into === id, actions }
    }),
  )
  const told = await server.sql<{ type: string }>(
    'select type from platform.workspace_events where brand_id = $1 and subject_id = any($2) order by id',
    [bot.brand_id, [id, ...evidence]],
  )
  const audited = await server.sql(
    'select 1 from platform.audit_entries where brand_id = $1 and target = $2',
    [bot.brand_id, `memory:${id}`],
  )
  const told_of = told.map(({ type }) => type)
  return {
    title,
    body,
    tags,
    version,
    confidence,
    sources,
    told_of,
    audited: audited.length,
    ...(await bot.stats()),
  }
}
/** The next worker need not wait for the end of a lease. */
const hurry = () => server.sql('update memory.tag_uses set leased_until = platform.now()')

test(`C21: a worker killed before the commit of a merge leaves nothing, and the next one makes the same, ${rounds} rounds`, {
  timeout,
}, async () => {
  for (let round = 1; round <= rounds; round += 1) {
    const doomed = await crew.doom('memory.merged:kill@1')
    const bot = await learned(`killed-${round}`)
    await doomed.ended
    expect(await bot.stats()).toMatchObject({ total_active: 3, total_merged: 0 })
    await hurry()
    await crew.takeOver(doomed)
    expect(await outcome(bot)).toEqual(uninterrupted)
    expect(model.calls.chat).toBe(round * 2)
  }
})

test(`C21: a worker that freezes there and wakes up late changes nothing, ${rounds} rounds`, {
  timeout,
}, async () => {
  for (let round = 1; round <= rounds; round += 1) {
    const frozen = await crew.doom('memory.merged:stop@1')
    const bot = await learned(`frozen-${round}`)
    await untilFrozen(frozen)
    await hurry()
    await crew.takeOver(frozen)
    expect(await outcome(bot)).toEqual(uninterrupted)
    frozen.child.kill('SIGCONT')
    // It ends what it is doing first.
    await frozen.stop()
    expect(await outcome(bot)).toEqual(uninterrupted)
    expect(model.calls.chat).toBe(round * 2)
  }
})
