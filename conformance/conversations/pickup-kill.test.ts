import { scaled } from '@crewhall/testkit/rounds.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeEach, expect, test } from 'vitest'
import { useLostWorkers } from './lost-workers.ts'
import { points, sent, tellOne } from './pickup-rounds.ts'
import { usePickUps } from './pickup-world.ts'

const kit = usePickUps()
const { doom, readByOthers } = useLostWorkers(kit)
beforeEach(() => tellOne(kit))

const rounds = scaled(20, 1)

test.each(points)(
  `CONV-G9, SYS-17: a worker killed at %s is followed by another that ends the same, with %i calls, ${rounds} rounds`,
  { timeout: 90_000 * rounds },
  async (point, calls) => {
    for (let round = 1; round <= rounds; round += 1) {
      kit.model.calls.chat = 0
      const { expectRead } = await sent(kit, `killed at ${point} ${round}`)
      const doomed = await doom(`${point}:kill@1`)
      await kit.strike()
      await doomed.ended
      await readByOthers(doomed, round)
      await expectRead()
      expect(kit.model.calls.chat).toBe(calls)
    }
  },
)

test('a worker that is stopped in the middle of a call has not failed: the next one reads the conversation', async () => {
  kit.model.calls.chat = 0
  const { workspace, id } = await sent(kit, 'stopped')
  kit.model.next = ['hang']
  const stopped = await doom('')
  await kit.strike()
  await waitFor(() => kit.model.calls.chat === 1, 30_000)
  await stopped.stop()
  const { state, attempts, ledger } = await workspace.ledger(id)
  expect({ state, attempts }).toEqual({ state: 'held', attempts: 0 })
  expect(ledger).toMatchObject([{ outcome: 'held', calls: 1 }])
  await readByOthers(stopped, 1)
  await kit.pickUp()
  expect(await workspace.titles()).toEqual(['Deployments happen on Tuesdays'])
})
