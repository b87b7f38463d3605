import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Memory, MemoryWorkspace } from './memory-world.ts'

const server = useSharedServer('probe')
let work: MemoryWorkspace
beforeAll(async () => {
  work = await MemoryWorkspace.open(server)
})

interface Change {
  readonly version: number
  readonly action: string
  readonly before: Record<string, unknown> | null
  readonly after: Record<string, unknown> | null
}
const historyOf = async (id: string) =>
  (
    await work.call<{ changes: Change[] }>('GET', `/memories/${id}/history?limit=20`)
  ).body.changes.toReversed()

/** Each change begins where the one before it ended, and no number is left out. */
function chainFault(changes: readonly Change[], memory: Memory): string | undefined {
  const versions = changes.map(({ version }) => version)
  if (String(versions) !== String(changes.map((_, at) => at + 1))) return `versions ${versions}`
  for (const [at, { before }] of changes.entries())
    if (JSON.stringify(before) !== JSON.stringify(changes[at - 1]?.after ?? null)) return `gap at ${at + 1}`
  return memory.version === versions.at(-1) ? undefined : `the memory is at version ${memory.version}`
}

const isDone = (each: PromiseSettledResult<unknown>): boolean =>
  each.status === 'fulfilled' && (each.value as { status: number }).status === 200
const refused = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.every(isDone) ? undefined : `${outcomes.filter((each) => !isDone(each)).length} were refused`

const clients = 8
const rounds = roundsFor(200, 0.5)
const fields = [{ title: 'Changed' }, { tags: ['changed'] }]

/** Half of the clients change one field and half the other; then both must hold. */
const changing = (isTwin: boolean, change: (id: string, body: object) => Promise<unknown>) =>
  race<Memory>({
    rounds,
    isTwin,
    clients,
    setup: () => work.add(),
    act: ({ id }, client) => change(id, fields[client % 2] as object),
    async verdict({ id }, outcomes) {
      const { body } = await work.call<Memory>('GET', `/memories/${id}`)
      if (body.title !== 'Changed' || body.tags[0] !== 'changed') return `${body.title} with ${body.tags}`
      return refused(outcomes) ?? (isTwin ? undefined : chainFault(await historyOf(id), body))
    },
  })

test(`MEMO-53: ${clients} changes at once of two fields, ${rounds} rounds: both hold, and the history is one chain`, async () => {
  expect(await changing(false, (id, body) => work.change(id, body))).toEqual({
    rounds,
    wrong: 0,
    examples: [],
  })
})

test('the same race finds a twin that reads, merges and writes without a lock', async () => {
  const naive = (id: string, body: object) =>
    server.get(`/api/v1/probe/memories/${id}/naive`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${work.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  expect((await changing(true, naive)).wrong).toBeGreaterThan(0)
})

/** A deleted memory that all clients bring back, while every second one changes it as soon as it is there. */
const restoring = (isTwin: boolean, restore: (id: string) => Promise<unknown>) =>
  race<Memory>({
    rounds,
    isTwin,
    clients,
    async setup() {
      const memory = await work.add({ title: 'Here' })
      await work.call('DELETE', `/memories/${memory.id}`)
      return memory
    },
    act: async ({ id }, client) => {
      const restored = await restore(id)
      return client % 2 === 0 ? restored : work.change(id, { tags: [`by ${client}`] })
    },
    async verdict({ id }, outcomes) {
      const { body } = await work.call<Memory>('GET', `/memories/${id}`)
      return refused(outcomes) ?? (isTwin ? undefined : chainFault(await historyOf(id), body))
    },
  })

test(`C18: ${clients} restorations at once of a deleted memory, and changes in between, ${rounds} rounds: one chain`, async () => {
  const restore = (id: string) => work.call('POST', `/memories/${id}/restore`, { version: 1 })
  expect(await restoring(false, restore)).toEqual({ rounds, wrong: 0, examples: [] })
})

test('the same race finds a twin that looks whether the memory is there and inserts it', async () => {
  const naive = (id: string) =>
    server.get(`/api/v1/probe/memories/${id}/naive`, {
      method: 'POST',
      headers: { authorization: `Bearer ${work.token}` },
    })
  expect((await restoring(true, naive)).wrong).toBeGreaterThan(0)
})
