import { scaled } from '@crewhall/testkit/rounds.ts'
import { takeOverNow } from '@crewhall/testkit/take-over.ts'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { line, useDirectories } from './directory-world.ts'
import { memories } from './pickup-world.ts'

const { kit, server, open, pickUp, strike, startWorker } = useDirectories()

// A pick-up that was missed before would come to a worker that is to die at the next one.
beforeAll(async () => {
  await (await startWorker()).stop()
}, 90_000)
beforeEach(() => {
  kit.model.reset()
  kit.model.answer = () => memories()
})

const rounds = scaled(20, 1)
/** The next worker need not wait for the end of a lease. */
const hurry = () =>
  server.sql(
    `update conversations.sources set lease_until = platform.now(), next_read_at = platform.now()
     where lease_until is not null`,
  )

test.each(['reading.claimed:kill@1', 'reading.stored:kill@1', 'reading.stored:kill@3'])(
  `SYS-17: a worker killed at %s loses and doubles no message of any file, ${rounds} rounds`,
  { timeout: 120_000 * rounds },
  async (fault) => {
    for (let round = 1; round <= rounds; round += 1) {
      const { write, texts, source } = await open()
      const expected: Record<string, string[]> = {}
      for (const name of ['a.jsonl', 'b/c.jsonl', 'd.jsonl', 'e.jsonl']) {
        // Of those without ids, equal ones are told apart as well.
        const said = [`The first message of ${name}.`, 'We always say this.', 'We always say this.']
        write(name, line('1', said[0] ?? ''), ...said.slice(1).map(withoutId))
        expected[name] = said
      }
      const doomed = await startWorker({ TEST_FAULT_POINTS: fault })
      await strike()
      await doomed.ended
      await takeOverNow(server.database.name)
      await hurry()
      const others = await Promise.all([startWorker(), startWorker()])
      await pickUp()
      expect(await texts()).toEqual(expected)
      expect((await source()).reading).toMatchObject({ failures: 0, reason: null, skipped: {} })
      await Promise.all(others.map((worker) => worker.stop()))
    }
  },
)

const withoutId = (text: string): string => line('', text).replace('"uuid":"",', '')
