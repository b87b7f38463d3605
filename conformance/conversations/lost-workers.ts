import { untilFrozen } from '@crewhall/testkit/frozen.ts'
import { isFull } from '@crewhall/testkit/rounds.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import type { WorkerCrew } from '@crewhall/testkit/worker-crew.ts'
import { afterAll, beforeAll } from 'vitest'
import type { usePickUps } from './pickup-world.ts'

/** The next worker need not wait for the end of a lease. */
const noLeases = [
  `update conversations.conversations set lease_until = platform.now(), next_try_at = platform.now()
   where state = 'reading'`,
  `update conversations.sources set lease_until = platform.now(), next_read_at = platform.now()
   where lease_until is not null`,
]

/** Pick-ups whose worker is lost at a named step, one after the other, among two to four workers. */
export function useLostWorkers(kit: Pick<ReturnType<typeof usePickUps>, 'newCrew' | 'settled' | 'server'>) {
  const size = isFull ? 4 : 3
  let crew: WorkerCrew
  beforeAll(async () => {
    crew = await kit.newCrew(size)
    await kit.settled()
  })
  afterAll(() => crew.close())
  return {
    doom: (fault: string): Promise<ServerProcess> => crew.doom(fault),
    /** Until it has met its fault. */
    lost: (doomed: ServerProcess, fault: string) =>
      fault.includes(':kill@') ? doomed.ended : untilFrozen(doomed),
    /** What the lost one has begun is read by the others, by one, two or three of them. */
    async readByOthers(lost: ServerProcess, round: number): Promise<void> {
      for (const noLease of noLeases) await kit.server.sql(noLease)
      await crew.takeOver(lost, 1 + (round % (size - 1)))
      await kit.settled()
    },
    /** A frozen one goes on, and ends what it is doing first. */
    async wake(lost: ServerProcess, fault: string): Promise<void> {
      if (!fault.includes(':stop@')) return
      lost.child.kill('SIGCONT')
      await lost.stop()
    },
  }
}
