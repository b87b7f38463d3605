import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { hour, memories, minute, usePickUps } from './pickup-world.ts'

const kit = usePickUps()
const { server, startWorker, pickUp, advance, open } = kit
let workspace: Awaited<ReturnType<typeof open>>

beforeAll(async () => {
  await startWorker()
})
beforeEach(async () => {
  kit.model.reset()
  workspace = await open()
})

const talk = [
  'From now on we deploy on Tuesdays only, because support is short-handed on other days.',
  'Understood. I have changed the pipeline, it refuses other days now.',
]
const deploys = { quote: 'we deploy on Tuesdays only', title: 'Deployments happen on Tuesdays' }

test('CONV-11, CONV-12: a conversation becomes typed memories at the next pick-up, with their source', async () => {
  kit.model.answer = () =>
    memories(
      { ...deploys, kind: 'decision' },
      { quote: 'the pipeline, it refuses other days', title: 'The pipeline refuses other days' },
    )
  const { id } = await workspace.send('one', talk)
  expect(kit.model.calls.chat).toBe(0)
  await pickUp()
  expect(await workspace.titles()).toEqual([
    'Deployments happen on Tuesdays',
    'The pipeline refuses other days',
  ])
  const read = await workspace.ledger(id)
  expect(read).toMatchObject({ state: 'done', attempts: 0, read_through: 2, next_try_at: null })
  expect(read.ledger).toMatchObject([{ outcome: 'finished', calls: 1, produced: 2, rejected: 0 }])
  const rows = await server.sql(
    `select quote, message_seqs, conversation_id, source_id, source_type, model from memory.provenance
     where brand_id = $1 order by quote desc`,
    [workspace.work.brand_id],
  )
  const origin = {
    conversation_id: id,
    source_id: workspace.source.id,
    source_type: 'claude_code',
    model: 'stand-in',
  }
  expect(rows).toEqual([
    { quote: 'we deploy on Tuesdays only', message_seqs: [0], ...origin },
    { quote: 'the pipeline, it refuses other days', message_seqs: [1], ...origin },
  ])
})

test('CONV-12: what the model invents is rejected, with the reason in the ledger', async () => {
  kit.model.answer = () =>
    memories(
      deploys,
      { quote: 'we deploy on Mondays only', title: 'Deployments happen on Mondays' },
      { quote: 'support is short-handed', title: 'Support has 12 people' },
      { quote: 'support is short-handed', title: 'Support is small', decision: 'same', existing: 7 },
    )
  const { id } = await workspace.send('one', talk)
  await pickUp()
  expect(await workspace.titles()).toEqual(['Deployments happen on Tuesdays'])
  const [attempt] = (await workspace.ledger(id)).ledger
  expect(attempt).toMatchObject({ produced: 1, rejected: 3 })
  expect(attempt?.candidates.map(({ decision, reason }) => [decision, reason])).toEqual([
    ['new', null],
    ['rejected', 'quote_not_found'],
    ['rejected', 'unsupported_number'],
    ['rejected', 'unknown_note'],
  ])
})

test('CONV-G7: a source that is switched off is not read until it is on again', async () => {
  kit.model.answer = () => memories(deploys)
  await workspace.send('one', talk)
  const change = (enabled: boolean) =>
    workspace.work.call('PATCH', `/sources/${workspace.source.id}`, { enabled })
  expect((await change(false)).status).toBe(200)
  await pickUp()
  expect(kit.model.calls.chat).toBe(0)
  await change(true)
  await pickUp()
  expect(await workspace.titles()).toHaveLength(1)
})

test('CONV-G9: what was read is not read again, and an appended message costs one call with nothing else in it', async () => {
  kit.model.answer = () => memories(deploys)
  await workspace.send('one', talk)
  await pickUp()
  for (let round = 0; round < 3; round += 1) {
    await workspace.send('one', talk)
    await pickUp()
  }
  expect(kit.model.calls.chat).toBe(1)
  kit.model.answer = () => memories({ quote: 'The staging host is called amber', title: 'Staging is amber' })
  await workspace.send('one', ['The staging host is called amber, please remember that.'], 2)
  await pickUp()
  expect(kit.model.calls.chat).toBe(2)
  expect(kit.model.prompts[1]?.user).toContain('amber')
  expect(kit.model.prompts[1]?.user).not.toContain('short-handed on other days')
  expect(await workspace.titles()).toEqual(['Deployments happen on Tuesdays', 'Staging is amber'])
})

/** So that each attempt is due between two pick-ups. */
async function failAfterTwoMinutes(calls: number): Promise<void> {
  kit.model.delay_ms = 2000
  const picked = pickUp()
  await waitFor(() => kit.model.calls.chat === calls, 30_000)
  await advance(2 * minute)
  await picked
  kit.model.delay_ms = 0
}

test.each([
  ['errors of the model', ['error', 'bad_json', 'rate_limited', 'truncated', 'error']],
  ['answers that cannot be read', ['bad_json', 'thought_prefix', 'truncated', 'injection_echo', 'bad_json']],
] as const)(
  'CONV-13, CONV-14, CONV-G8: %s: tried again after 10 min, 30 min, 2 h and 8 h, failed after the fifth',
  async (_, modes) => {
    kit.model.answer = () => memories(deploys)
    const { id } = await workspace.send('one', talk)
    for (const [failures, wait] of [10 * minute, 30 * minute, 2 * hour, 8 * hour].entries()) {
      kit.model.next = modes.slice(failures, failures + 1)
      await failAfterTwoMinutes(failures + 1)
      const { state, attempts, next_try_at, ledger } = await workspace.ledger(id)
      expect({ state, attempts, outcome: ledger[0]?.outcome }).toEqual({
        state: 'waiting',
        attempts: failures + 1,
        outcome: 'failed',
      })
      const due = Date.parse(next_try_at ?? '')
      const [ended] = await server.sql<{ at: string }>(
        'select max(ended_at)::text as at from conversations.attempts where conversation_id = $1',
        [id],
      )
      expect(Math.abs(due - Date.parse(ended?.at ?? '') - wait)).toBeLessThan(1000)
      // The last pick-up before it is due finds nothing, and the next one does.
      await kit.approach(due)
      await pickUp()
      expect(kit.at()).toBeLessThan(due)
      expect(kit.model.calls.chat).toBe(failures + 1)
    }
    kit.model.next = modes.slice(4)
    await pickUp()
    const { state, attempts, next_try_at, ledger } = await workspace.ledger(id)
    expect({ state, attempts, next_try_at }).toEqual({ state: 'failed', attempts: 5, next_try_at: null })
    expect(ledger.map(({ outcome }) => outcome)).toEqual(Array(5).fill('failed'))
    await advance(9 * hour)
    await pickUp()
    expect(kit.model.calls.chat).toBe(5)
    expect(await workspace.titles()).toEqual([])
    const told = await server.sql(
      `select data from platform.workspace_events where brand_id = $1 and type = 'conversation.failed'`,
      [workspace.work.brand_id],
    )
    expect(told).toEqual([
      { data: { source_id: workspace.source.id, agent_id: workspace.work.agent, attempts: 5 } },
    ])
  },
  180_000,
)

test('a model that is away is not asked for every conversation, and what was not asked has not failed', async () => {
  kit.model.mode = 'error'
  const sent = []
  for (let n = 0; n < 8; n += 1) sent.push(await workspace.send(`away ${n}`, [...talk, `Number ${n}.`]))
  await pickUp()
  const states = await Promise.all(sent.map(({ id }) => workspace.ledger(id)))
  expect(kit.model.calls.chat).toBe(states.filter(({ attempts }) => attempts === 1).length)
  expect(states.filter(({ attempts }) => attempts === 0).length).toBeGreaterThan(0)
  const untried = states.filter(({ attempts }) => attempts === 0)
  expect(untried.every(({ state }) => state === 'waiting' || state === 'held')).toBe(true)
  expect(untried.every(({ next_try_at }) => Date.parse(next_try_at ?? '') <= kit.at())).toBe(true)
})
