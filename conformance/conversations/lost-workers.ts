import { isFull } from '@crewhall/testkit/rounds.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import type { WorkerCrew } from '@crewhall/testkit/worker-crew.ts'
import { afterAll, beforeAll } from 'vitest'
import type { usePickUps } from './pickup-world.ts'

/** The next worker need not wait for the end of a lease. */
const noLease = `update conversations.conversations set lease_until = platform.now(), next_try_at = platform.now()
  where state = 'reading'`

/** Pick-ups whose worker is lost at a named step, one after the other, among two to four workers. */
export function useLostWorkers(kit: ReturnType<typeof usePickUps>) {
  const size = isFull ? 4 : 3
  let crew: WorkerCrew
  beforeAll(async () => {
    crew = await kit.newCrew(size)
    await kit.settled()
  })
  afterAll(() => crew.close())
  return {
    doom: (fault: string): Promise<ServerProcess> => crew.doom(fault),
    /** What the lost one has begun is read by the others, by one, two or three of them. */
    async readByOthers(lost: ServerProcess, round: number): Promise<void> {
      await kit.server.sql(noLease)
      await crew.takeOver(lost, 1 + (round % (size - 1)))
      await kit.settled()
    },
  }
}
