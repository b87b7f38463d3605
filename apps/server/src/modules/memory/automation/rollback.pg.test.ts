import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as automation from '#modules/memory'
import { type Origin, rollBack } from '#modules/memory'
import { systemCtx } from '#platform/ctx/ctx.ts'
import { AutomationBed, draft } from '../../../../test/memory-automation.ts'
import { Consolidator } from '../consolidation/consolidate.service.ts'
import { actorName } from '../consolidation/merge.service.ts'
import { changeMemory, createMemory, discardMemory } from '../memories/memories.service.ts'

let bed: AutomationBed
beforeAll(async () => {
  bed = await AutomationBed.open()
})
afterAll(() => bed.close())

const add = async (agent: string, body: string, origin: Origin) => {
  const outcome = await bed.write((tx) => automation.addMemory(tx, agent, draft(body), origin))
  return outcome.decision === 'rejected' ? outcome.reason : (outcome.id ?? '')
}
const rolledBack = (conversation_id: string) => bed.person.tx((ctx) => rollBack(ctx, { conversation_id }))
const nothing = { deleted: [], restored: [], left: [], withdrawn: 0, next: null }
/** All of them to the last digit, except who changed them last and how often. */
const exactly = async (agent: string) => {
  const { rows } = await bed.admin.query(
    `select id, kind, title, body, description, tags, importance, status, confidence, anchored_at, verified_at, is_locked,
       superseded_by, text_hash, created_by, created_at
     from memory.memories where agent_id = $1 order by id`,
    [agent],
  )
  return rows
}

test('C18: what a conversation created, observed and superseded is as if it had never been', async () => {
  const agent = await bed.newAgent()
  const first = bed.origin()
  const observed = await add(agent, 'Tests run in parallel', first)
  const superseded = await add(agent, 'Payments uses Postgres 16', first)
  const before = await exactly(agent)

  const second = bed.origin()
  const made = await add(agent, 'The linter is strict', second)
  await add(agent, 'Tests run in parallel', second)
  const by = await bed.write((tx) =>
    automation.supersede(tx, superseded, draft('Payments uses Postgres 17'), second),
  )
  expect(await exactly(agent)).not.toEqual(before)

  const { deleted, restored, ...rest } = await rolledBack(second.conversation_id)
  expect([...deleted].sort()).toEqual([made, 'id' in by ? by.id : ''].sort())
  expect([...restored].sort()).toEqual([observed, superseded].sort())
  expect(rest).toEqual({ left: [], withdrawn: 0, next: null })
  expect(await exactly(agent)).toEqual(before)
  expect(await bed.evidence(observed)).toHaveLength(1)
  expect(await rolledBack(second.conversation_id)).toEqual(nothing)
  // A person has rolled it back, so it does not come back by itself.
  expect(await add(agent, 'The linter is strict', bed.origin())).toBe('tombstone')
})

test('what a person has changed or deleted since is left as it is, and named', async () => {
  const agent = await bed.newAgent()
  const origin = bed.origin()
  const changed = await add(agent, 'The linter is strict', origin)
  const deleted = await add(agent, 'The cache is warm', origin)
  const untouched = await add(agent, 'Logs are kept for a week', origin)
  await changeMemory(bed.person, changed, { tags: ['mine'] })
  await discardMemory(bed.person, deleted, {})
  const before = (await exactly(agent)).filter(({ id }) => id === changed)
  const outcome = await rolledBack(origin.conversation_id)
  expect(outcome.deleted).toEqual([untouched])
  expect(outcome.left).toEqual([
    { id: changed, reason: 'changed_since' },
    { id: deleted, reason: 'deleted_since' },
  ])
  expect(await exactly(agent)).toEqual(before)
})

test('what another conversation says as well stays, without the words of this one', async () => {
  const agent = await bed.newAgent()
  const [one, two] = [bed.origin(), bed.origin()]
  const id = await add(agent, 'Tests run in parallel', one)
  await add(agent, 'Tests run in parallel', two)
  expect((await rolledBack(one.conversation_id)).left).toEqual([{ id, reason: 'said_by_others' }])
  expect(await bed.memories(agent)).toMatchObject([{ id, status: 'active' }])
})

test('a learning that has become part of a pattern is taken out of it', async () => {
  const agent = await bed.newAgent()
  const origin = bed.origin()
  for (const body of ['Mocks hide errors', 'Sleeps make tests slow', 'Clocks must be virtual']) {
    const learning = draft(body, { kind: 'learning', tags: ['testing'] })
    await bed.write((tx) =>
      automation.addMemory(tx, agent, learning, body.startsWith('M') ? origin : bed.origin()),
    )
  }
  const consolidator = new Consolidator(async () => undefined)
  const system = systemCtx(bed.parts.ctx, bed.parts.log, { kind: 'system', name: actorName })
  await consolidator.look(system)
  const [mocks, ...others] = await bed.memories(agent)
  expect([mocks, ...others].map((memory) => memory?.status)).toEqual(['merged', 'merged', 'merged', 'active'])
  expect((await rolledBack(origin.conversation_id)).deleted).toEqual([mocks?.id])
  await consolidator.look(system)
  const pattern = (await bed.memories(agent)).at(-1)
  expect(pattern?.body).toContain('Sleeps make tests slow')
  expect(pattern?.body).not.toContain('Mocks hide errors')
})

test('open questions of the conversation are withdrawn, and those of others stay', async () => {
  const agent = await bed.newAgent()
  const text = { agent_id: agent, title: 'T', body: 'The limit is 5' }
  const { id } = await createMemory(bed.person, {
    ...text,
    kind: 'fact',
    tags: [],
    confidence: 0.8,
    importance: 'normal',
  })
  const [one, two] = [bed.origin(), bed.origin()]
  await bed.write((tx) => automation.flagConflict(tx, id, draft('The limit is 6'), one))
  await bed.write((tx) => automation.flagConflict(tx, id, draft('The limit is 7'), two))
  expect(await rolledBack(one.conversation_id)).toEqual({ ...nothing, withdrawn: 1 })
  expect((await bed.proposals(agent)).map(({ state }) => state)).toEqual(['rejected', 'open'])
})

test('a source is rolled back in bites, each memory once', async () => {
  const agent = await bed.newAgent()
  const source_id = randomUUID()
  for (let n = 0; n < 130; n += 1) await add(agent, `Rule number ${n}`, { ...bed.origin(), source_id })
  await add(agent, 'Of another source', bed.origin())
  let count = 0
  for (let after: string | null | undefined; after !== null; ) {
    const from = after
    const bite = await bed.person.tx((ctx) => rollBack(ctx, { source_id }, from))
    count += bite.deleted.length
    after = bite.next
  }
  expect(count).toBe(130)
  expect(await bed.memories(agent)).toMatchObject([{ body: 'Of another source' }])
})
