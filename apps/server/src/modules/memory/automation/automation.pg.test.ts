import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as automation from '#modules/memory'
import { AutomationBed, draft } from '../../../../test/memory-automation.ts'
import { changeMemory, createMemory, discardMemory } from '../memories/memories.service.ts'

let bed: AutomationBed
beforeAll(async () => {
  bed = await AutomationBed.open()
})
afterAll(() => bed.close())

const add = (agent: string, body: string, origin = bed.origin(), near_ids: string[] = []) =>
  bed.write((tx) => automation.addMemory(tx, agent, draft(body), origin, { near_ids, vector: null }))
const added = async (agent: string, body: string, origin = bed.origin()) => {
  const outcome = await add(agent, body, origin)
  if (outcome.decision !== 'new') throw new Error(`it is ${JSON.stringify(outcome)}`)
  return outcome.id
}
const byPerson = (agent_id: string, body: string) =>
  createMemory(bed.person, {
    agent_id,
    kind: 'fact',
    title: body,
    body,
    tags: [],
    confidence: 0.8,
    importance: 'normal',
  })

describe('a new memory', () => {
  test('M1: has the conversation as its author, and the words that were said as evidence', async () => {
    const agent = await bed.newAgent()
    const origin = bed.origin(randomUUID(), 'q'.repeat(400))
    const id = await added(agent, 'Deploys run from the release branch', origin)
    const [memory] = await bed.memories(agent)
    expect(memory).toMatchObject({ id, is_locked: false, status: 'active' })
    expect(memory?.created_by).toMatchObject({
      kind: 'system',
      id: origin.conversation_id,
      name: 'claude_code',
    })
    expect(await bed.evidence(id)).toEqual([
      {
        n: 1,
        conversation_id: origin.conversation_id,
        decision: 'new',
        other_memory_id: null,
        quote: 'q'.repeat(300),
      },
    ])
  })

  test('M5: said by two conversations at once is one memory, twenty times', async () => {
    for (let round = 0; round < 20; round += 1) {
      const agent = await bed.newAgent()
      const outcomes = await Promise.all([1, 2, 3, 4].map(() => add(agent, 'The build takes nine minutes')))
      expect(outcomes.map(({ decision }) => decision).sort()).toEqual(['new', 'same', 'same', 'same'])
      expect(await bed.memories(agent)).toHaveLength(1)
    }
  })
})

describe('the same again', () => {
  test('C13: other conversations add at most 0.05 to the confidence, and the same one nothing', async () => {
    const agent = await bed.newAgent()
    const origin = bed.origin()
    const id = await added(agent, 'Tests run in parallel', origin)
    for (let n = 0; n < 5; n += 1) await add(agent, 'tests  run in PARALLEL', origin)
    expect(await bed.memories(agent)).toMatchObject([{ id, confidence: 0.8, version: 1 }])
    for (let n = 0; n < 20; n += 1)
      expect(await add(agent, 'Tests run in parallel')).toEqual({ decision: 'same', id })
    const [memory] = await bed.memories(agent)
    expect(memory?.confidence).toBeCloseTo(0.85, 9)
    expect(memory?.version).toBe(6)
    expect(await bed.evidence(id)).toHaveLength(21)
  })

  test('evidence ends at 100 conversations', async () => {
    const agent = await bed.newAgent()
    const id = await added(agent, 'Said by everybody')
    for (let n = 0; n < 110; n += 1) await bed.write((tx) => automation.observeAgain(tx, id, bed.origin()))
    expect(await bed.evidence(id)).toHaveLength(100)
  })

  test('in other words it is evidence as well, if nothing that matters differs', async () => {
    const agent = await bed.newAgent()
    const id = await added(agent, 'The API times out after 30 seconds.')
    expect(await add(agent, 'API times out after thirty seconds', bed.origin(), [id])).toEqual({
      decision: 'same',
      id,
    })
    expect(await add(agent, 'The API times out after 31 seconds.', bed.origin(), [id])).toMatchObject({
      decision: 'new',
    })
  })

  test('M6: of a locked memory only the evidence grows', async () => {
    const agent = await bed.newAgent()
    const { id } = await byPerson(agent, 'Releases are cut on Tuesdays')
    const before = await bed.memories(agent)
    expect(await add(agent, 'Releases are cut on Tuesdays')).toMatchObject({ decision: 'same', id })
    expect(await bed.memories(agent)).toEqual(before)
    expect(await bed.evidence(id)).toHaveLength(1)
  })
})

describe('what a person has taken away', () => {
  test('C17: a deleted text is refused ten times of ten', async () => {
    const agent = await bed.newAgent()
    const id = await added(agent, 'The office router is in room 12')
    await discardMemory(bed.person, id, {})
    for (let n = 0; n < 10; n += 1)
      expect(await add(agent, 'The office router is in  ROOM 12')).toEqual({
        decision: 'rejected',
        reason: 'tombstone',
      })
    expect(await bed.memories(agent)).toEqual([])
    expect(await bed.proposals(agent)).toEqual([])
  })

  test('C17: a corrected text does not come back beside its correction, whatever automation takes it for', async () => {
    const agent = await bed.newAgent()
    const id = await added(agent, 'The build takes nine minutes')
    await changeMemory(bed.person, id, { title: 'Build time', body: 'The build takes four minutes' })
    const before = await bed.memories(agent)
    const old = draft('The build takes nine minutes')
    for (let n = 0; n < 10; n += 1) {
      expect(await add(agent, old.body)).toMatchObject({ reason: 'tombstone' })
      expect(await bed.write((tx) => automation.supersede(tx, id, old, bed.origin()))).toMatchObject({
        reason: 'tombstone',
      })
      expect(await bed.write((tx) => automation.flagConflict(tx, id, old, bed.origin()))).toMatchObject({
        reason: 'tombstone',
      })
    }
    expect(await bed.memories(agent)).toEqual(before)
  })

  test('C17: what is near to a deleted text waits for a person, once, and what differs in a number does not', async () => {
    const agent = await bed.newAgent()
    const id = await added(agent, 'The staging database is reset every night at 02:00')
    await discardMemory(bed.person, id, {})
    const near = await add(agent, 'Every night at 2am the staging database gets reset by a script')
    expect(near).toMatchObject({ decision: 'rejected', reason: 'like_deleted' })
    await add(agent, 'Every night at 2am the staging database gets reset by a script')
    expect(await bed.proposals(agent)).toMatchObject([{ kind: 'new', reason: 'like_deleted', state: 'open' }])
    expect(await add(agent, 'The staging database is reset every night at 03:00')).toMatchObject({
      decision: 'new',
    })
    expect(await add(agent, 'Invoices are sent by the billing service')).toMatchObject({ decision: 'new' })
  })

  test('a deletion at the same time is not overtaken: the text never ends up there without a look at the tombstone', async () => {
    for (let round = 0; round < 20; round += 1) {
      const agent = await bed.newAgent()
      const id = await added(agent, 'The cache lives in Redis')
      const [outcome] = await Promise.all([
        add(agent, 'The cache lives in Redis'),
        discardMemory(bed.person, id, {}),
      ])
      // Evidence for what was deleted right afterwards, or refused; never a memory of its own.
      expect(['same', 'rejected']).toContain(outcome.decision)
      expect(await bed.memories(agent)).toEqual([])
    }
  })

  test('an archived text stays archived', async () => {
    const agent = await bed.newAgent()
    const id = await added(agent, 'We deploy with Ansible')
    await changeMemory(bed.person, id, { status: 'archived' })
    expect(await add(agent, 'We deploy with Ansible')).toEqual({ decision: 'rejected', reason: 'archived' })
  })
})

describe('superseding', () => {
  test('C20: the old one is archived with the name of the new one, and said again it stays so', async () => {
    const agent = await bed.newAgent()
    const origin = bed.origin()
    const old = await added(agent, 'Payments uses Postgres 16')
    const outcome = await bed.write((tx) =>
      automation.supersede(tx, old, draft('Payments uses Postgres 17'), origin),
    )
    expect(outcome).toMatchObject({ decision: 'supersedes', other_id: old })
    const [before, after] = await bed.memories(agent)
    expect(before).toMatchObject({ id: old, status: 'archived', superseded_by: after?.id, version: 2 })
    expect(after).toMatchObject({ status: 'active', body: 'Payments uses Postgres 17' })
    expect(await bed.evidence(after?.id ?? '')).toMatchObject([
      { decision: 'supersedes', other_memory_id: old },
    ])
    expect(await add(agent, 'Payments uses Postgres 16')).toEqual({
      decision: 'rejected',
      reason: 'superseded',
    })
  })

  test('M6: a locked one stays as it is, and the new text waits for a person outside', async () => {
    const agent = await bed.newAgent()
    const { id } = await byPerson(agent, 'Payments uses Postgres 16')
    const before = await bed.memories(agent)
    const supersede = () =>
      bed.write((tx) => automation.supersede(tx, id, draft('Payments uses Postgres 17'), bed.origin()))
    const outcome = await supersede()
    expect(outcome).toMatchObject({ decision: 'conflicts', id: null, other_id: id })
    expect(await supersede()).toEqual(outcome)
    expect(await bed.memories(agent)).toEqual(before)
    expect(await bed.proposals(agent)).toMatchObject([
      { kind: 'conflict', reason: 'locked', memory_id: id, other_memory_id: null },
    ])
  })

  test('C20: another fact about the same thing is not hidden, also when the model says so', async () => {
    const agent = await bed.newAgent()
    const old = await added(agent, 'The payments service is owned by team Falcon')
    const other = draft('The payments service listens on port 8080 behind the proxy')
    expect(await bed.write((tx) => automation.supersede(tx, old, other, bed.origin()))).toMatchObject({
      decision: 'conflicts',
    })
    expect((await bed.memories(agent)).map(({ status }) => status)).toEqual(['active', 'active'])
  })

  test('by what is there already: that one gets the evidence', async () => {
    const agent = await bed.newAgent()
    const old = await added(agent, 'Payments uses Postgres 16')
    const current = await added(agent, 'Payments uses Postgres 17')
    const outcome = await bed.write((tx) =>
      automation.supersede(tx, old, draft('Payments uses Postgres 17'), bed.origin()),
    )
    expect(outcome).toEqual({ decision: 'supersedes', id: current, other_id: old })
    expect(await bed.memories(agent)).toMatchObject([
      { superseded_by: current },
      { id: current, status: 'active' },
    ])
  })
})

describe('a contradiction', () => {
  test('M5: both are kept, a person is asked once, and the event names the question', async () => {
    const agent = await bed.newAgent()
    const old = await added(agent, 'Ana owns the release')
    const flag = () =>
      bed.write((tx) => automation.flagConflict(tx, old, draft('Bob owns the release'), bed.origin()))
    const outcome = await flag()
    await flag()
    expect(outcome).toMatchObject({ decision: 'conflicts', other_id: old })
    const memories = await bed.memories(agent)
    expect(memories.map(({ status }) => status)).toEqual(['active', 'active'])
    const [proposal, ...more] = await bed.proposals(agent)
    expect(more).toEqual([])
    expect(proposal).toMatchObject({
      reason: 'contradiction',
      memory_id: old,
      other_memory_id: memories[1]?.id,
    })
    const { rows } = await bed.admin.query(
      `select data from platform.workspace_events where type = 'memory.conflict' and subject_id = $1`,
      [old],
    )
    expect(rows).toEqual([
      { data: { agent_id: agent, proposal_id: proposal?.id, other_memory_id: memories[1]?.id } },
    ])
  })

  test('an inbox of 200 questions takes no more, and nothing is written unasked', async () => {
    const agent = await bed.newAgent()
    const { id } = await byPerson(agent, 'The limit is 0')
    const flag = (n: number) =>
      bed.write((tx) => automation.flagConflict(tx, id, draft(`The limit is ${n}`), bed.origin()))
    for (let n = 1; n <= 200; n += 1) expect(await flag(n)).toMatchObject({ decision: 'conflicts' })
    expect(await flag(201)).toEqual({ decision: 'rejected', reason: 'inbox_full' })
    expect(await bed.memories(agent)).toHaveLength(1)
    expect(await bed.proposals(agent)).toHaveLength(200)
  })
})

test('what is not there is refused', async () => {
  const none = { decision: 'rejected', reason: 'unknown_memory' }
  const id = randomUUID()
  expect(await bed.write((tx) => automation.observeAgain(tx, id, bed.origin()))).toEqual(none)
  expect(await bed.write((tx) => automation.supersede(tx, id, draft('x'), bed.origin()))).toEqual(none)
  expect(await bed.write((tx) => automation.flagConflict(tx, id, draft('x'), bed.origin()))).toEqual(none)
})
