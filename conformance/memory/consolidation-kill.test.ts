import { untilFrozen } from '@crewhall/testkit/frozen.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import { startStandInModel } from '@crewhall/testkit/stand-in-model.ts'
import { quickToGiveUp, takeOverNow } from '@crewhall/testkit/take-over.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { LearningWorkspace } from './consolidation-world.ts'

const model = await startStandInModel()
const llm = { LLM_URL: model.url, LLM_MODEL: 'stand-in' }
const server = useServer('product')
let work: LearningWorkspace
let uninterrupted: unknown
beforeAll(async () => {
  work = await LearningWorkspace.open(server)
  model.answer = () => ({ title: 'Alpha, beta, gamma', statement: 'We know about alpha, beta and gamma.' })
  const bot = await learned('uninterrupted')
  const worker = await server.start('worker', llm)
  uninterrupted = await outcome(bot)
  await worker.stop()
}, 60_000)
beforeEach(() => {
  model.calls.chat = 0
})
afterAll(() => model.close())

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
    const bot = await learned(`killed-${round}`)
    const doomed = await server.start('worker', { ...llm, TEST_FAULT_POINTS: 'memory.merged:kill@1' })
    await doomed.ended
    expect(await bot.stats()).toMatchObject({ total_active: 3, total_merged: 0 })
    await hurry()
    const others = await Promise.all([server.start('worker', llm), server.start('worker', llm)])
    expect(await outcome(bot)).toEqual(uninterrupted)
    expect(model.calls.chat).toBe(round * 2)
    for (const other of others) await other.stop()
  }
})

test(`C21: a worker that freezes there and wakes up late changes nothing, ${rounds} rounds`, {
  timeout,
}, async () => {
  for (let round = 1; round <= rounds; round += 1) {
    const bot = await learned(`frozen-${round}`)
    const frozen = await server.start('worker', {
      ...llm,
      ...quickToGiveUp,
      TEST_FAULT_POINTS: 'memory.merged:stop@1',
    })
    await untilFrozen(frozen)
    await takeOverNow(server.database.name)
    await hurry()
    const other = await server.start('worker', llm)
    expect(await outcome(bot)).toEqual(uninterrupted)
    frozen.child.kill('SIGCONT')
    await frozen.stop()
    expect(await outcome(bot)).toEqual(uninterrupted)
    expect(model.calls.chat).toBe(round * 2)
    await other.stop()
  }
})
