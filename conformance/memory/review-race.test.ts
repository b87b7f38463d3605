import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Memory, MemoryWorkspace } from './memory-world.ts'
import { draft, type Proposal, propose } from './proposal-world.ts'

const server = useSharedServer('probe')
let work: MemoryWorkspace
beforeAll(async () => {
  work = await MemoryWorkspace.open(server)
})

const verdicts = ['approve', 'reject'] as const
type Verdict = (typeof verdicts)[number]
type Decide = (id: string, verdict: Verdict) => Promise<{ readonly status: number }>
const decide: Decide = (id, verdict) => work.call('POST', `/proposals/${id}/${verdict}`, {})
const decideNaively: Decide = async (id, verdict) =>
  server.get(`/api/v1/probe/memory-proposals/${id}/naive`, {
    method: 'POST',
    headers: { authorization: `Bearer ${work.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ state: verdict === 'approve' ? 'approved' : 'rejected' }),
  })

const clients = 8
const rounds = roundsFor(200, 0.3)
const none = { rounds, wrong: 0, examples: [] }
const statusOf = (each: PromiseSettledResult<unknown> | undefined) =>
  each?.status === 'fulfilled' ? (each.value as { status: number }).status : 0

/** Half approve and half reject; one memory if it is approved, none if it is not, and whoever was late has been told. */
const deciding = (isTwin: boolean, decide: Decide) =>
  race<{ id: string; title: string }>({
    rounds,
    isTwin,
    clients,
    async setup(round) {
      const title = `Decided ${isTwin} ${round}`
      return { title, id: await propose(work, { content: { ...draft, title } }) }
    },
    act: ({ id }, client) => decide(id, verdicts[client % 2] as Verdict),
    async verdict({ id, title }, outcomes) {
      const { state } = (await work.call<Proposal>('GET', `/proposals/${id}`)).body
      const found = await work.world.sql('select from memory.memories where brand_id = $1 and title = $2', [
        work.brand_id,
        title,
      ])
      if (found.length !== (state === 'approved' ? 1 : 0)) return `${state} with ${found.length} memories`
      if (isTwin) return undefined
      const expected = (client: number) => (verdicts[client % 2] === 'approve') === (state === 'approved')
      const told = outcomes.map(statusOf)
      const wrong = told.some((status, client) => status !== (expected(client) ? 200 : 409))
      return wrong ? `${state}, and told ${told}` : undefined
    },
  })

test(`M12: ${clients} verdicts at once, ${rounds} rounds: one holds, and all others are told`, async () => {
  expect(await deciding(false, decide)).toEqual(none)
})

test('the same race finds a twin that looks, carries out and notes without a lock', async () => {
  expect((await deciding(true, decideNaively)).wrong).toBeGreaterThan(0)
})

const edited = 'Written by a person meanwhile.'

/** One edits while others approve a change of the older text: the edit stands, whoever was first. */
const editing = (isTwin: boolean, decide: Decide) =>
  race<{ id: string; memory: Memory }>({
    rounds,
    isTwin,
    clients,
    async setup() {
      const memory = await work.add({ title: 'To be changed' })
      const content = { body: 'As proposed.' }
      return {
        memory,
        id: await propose(work, { kind: 'change', memory_id: memory.id, content, base: memory }),
      }
    },
    act: ({ id, memory }, client) =>
      client === clients / 2 ? work.change(memory.id, { body: edited }) : decide(id, 'approve'),
    async verdict({ id, memory }, outcomes) {
      const { body } = await work.call<Memory>('GET', `/memories/${memory.id}`)
      if (body.body !== edited) return `it says ${body.body}`
      if (isTwin) return undefined
      const { state } = (await work.call<Proposal>('GET', `/proposals/${id}`)).body
      const told = new Set(outcomes.map(statusOf).filter((_, client) => client !== clients / 2))
      const expected = state === 'approved' ? [200] : [409]
      if (body.version !== (state === 'approved' ? 3 : 2)) return `${state} at version ${body.version}`
      return String([...told]) === String(expected) ? undefined : `${state}, and told ${[...told]}`
    },
  })

test(`M6: an edit while ${clients - 1} approve a change of the older text, ${rounds} rounds: the edit stands`, async () => {
  expect(await editing(false, decide)).toEqual(none)
})

test('the same race finds a twin that compares and writes without a lock', async () => {
  expect((await editing(true, decideNaively)).wrong).toBeGreaterThan(0)
})
