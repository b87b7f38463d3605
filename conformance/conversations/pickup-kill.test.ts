import { untilFrozen } from '@crewhall/testkit/frozen.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { quickToGiveUp, takeOverNow } from '@crewhall/testkit/take-over.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { memories, usePickUps } from './pickup-world.ts'

const kit = usePickUps()
const { server, startWorker, pickUp, strike, open } = kit
type Workspace = Awaited<ReturnType<typeof open>>

// A pick-up that was missed before would come to a worker that is to die at the next one.
beforeAll(async () => {
  await (await startWorker()).stop()
})
beforeEach(() => {
  kit.model.reset()
  kit.model.answer = () =>
    memories(
      { quote: 'we deploy on Tuesdays only', title: 'Deployments happen on Tuesdays' },
      { quote: 'nobody ever said this', title: 'An invention' },
    )
})

const rounds = scaled(20, 1)
const timeout = 90_000 * rounds
/** Where a worker ends, and how many calls of the model the conversation takes then. */
const points = [
  ['memory.picked', 1],
  ['memory.answered', 2],
  ['memory.stored', 1],
] as const

async function sent(name: string): Promise<{ workspace: Workspace; id: string }> {
  const workspace = await open()
  const { id } = await workspace.send(name, ['From now on we deploy on Tuesdays only.', 'Understood.'])
  return { workspace, id }
}
/** All that an uninterrupted run leaves; what was cut off stands in the ledger besides. */
async function expectRead({ workspace, id }: { workspace: Workspace; id: string }): Promise<void> {
  expect(await workspace.titles()).toEqual(['Deployments happen on Tuesdays'])
  const { state, attempts, read_through, ledger } = await workspace.ledger(id)
  expect({ state, attempts, read_through }).toEqual({ state: 'done', attempts: 0, read_through: 2 })
  const ended = ledger.filter(({ outcome }) => outcome !== 'lost')
  expect(ended).toMatchObject([{ outcome: 'finished', calls: 1, produced: 1, rejected: 1 }])
  const provenance = await server.sql('select 1 from memory.provenance where conversation_id = $1', [id])
  expect(provenance).toHaveLength(1)
}
/** The next worker need not wait for the end of a lease. */
const hurry = () =>
  server.sql(
    `update conversations.conversations set lease_until = platform.now(), next_try_at = platform.now()
     where state = 'reading'`,
  )
const stop = (workers: readonly ServerProcess[]) => Promise.all(workers.map((worker) => worker.stop()))

test.each(points)(
  `CONV-G9, SYS-17: a worker killed at %s is followed by another that ends the same, with %i calls, ${rounds} rounds`,
  { timeout },
  async (point, calls) => {
    for (let round = 1; round <= rounds; round += 1) {
      kit.model.calls.chat = 0
      const conversation = await sent(`killed at ${point} ${round}`)
      const doomed = await startWorker({ TEST_FAULT_POINTS: `${point}:kill@1` })
      await strike()
      await doomed.ended
      await takeOverNow(server.database.name)
      await hurry()
      const others = await Promise.all([startWorker(), startWorker()])
      await pickUp()
      await expectRead(conversation)
      expect(kit.model.calls.chat).toBe(calls)
      await stop(others)
    }
  },
)

test.each(points)(
  `CONV-G9: a worker that freezes at %s and wakes up late writes nothing, with %i calls, ${rounds} rounds`,
  { timeout },
  async (point, calls) => {
    for (let round = 1; round <= rounds; round += 1) {
      kit.model.calls.chat = 0
      const conversation = await sent(`frozen at ${point} ${round}`)
      const frozen = await startWorker({ ...quickToGiveUp, TEST_FAULT_POINTS: `${point}:stop@1` })
      await strike()
      await untilFrozen(frozen)
      await takeOverNow(server.database.name)
      await hurry()
      const others = await Promise.all([startWorker(), startWorker()])
      await pickUp()
      await expectRead(conversation)
      frozen.child.kill('SIGCONT')
      await frozen.stop()
      await expectRead(conversation)
      expect(kit.model.calls.chat).toBe(calls)
      await stop(others)
    }
  },
)

test('a worker that is stopped in the middle of a call has not failed: the next one reads the conversation', {
  timeout: 90_000,
}, async () => {
  kit.model.calls.chat = 0
  const conversation = await sent('stopped')
  kit.model.next = ['hang']
  const stopped = await startWorker()
  await strike()
  await waitFor(() => kit.model.calls.chat === 1, 30_000)
  await stopped.stop()
  const { state, attempts, ledger } = await conversation.workspace.ledger(conversation.id)
  expect({ state, attempts }).toEqual({ state: 'held', attempts: 0 })
  expect(ledger).toMatchObject([{ outcome: 'held', calls: 1 }])
  await takeOverNow(server.database.name)
  const other = await startWorker()
  await pickUp()
  expect(await conversation.workspace.titles()).toEqual(['Deployments happen on Tuesdays'])
  await other.stop()
})
