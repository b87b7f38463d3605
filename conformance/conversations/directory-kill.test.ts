import { scaled } from '@crewhall/testkit/rounds.ts'
import { beforeEach, expect, test } from 'vitest'
import { line, useDirectories } from './directory-world.ts'
import { useLostWorkers } from './lost-workers.ts'
import { memories } from './pickup-world.ts'

const { kit, open } = useDirectories()
const { doom, lost, readByOthers, wake } = useLostWorkers(kit)

beforeEach(() => {
  kit.model.reset()
  kit.model.answer = () => memories()
})

const rounds = scaled(20, 1)
const files = ['a.jsonl', 'b/c.jsonl', 'd.jsonl', 'e.jsonl']

test.each(
  ['reading.claimed:%@1', 'reading.stored:%@1', 'reading.stored:%@3'].flatMap((fault) => [
    fault.replace('%', 'kill'),
    fault.replace('%', 'stop'),
  ]),
)(
  `SYS-17: a worker lost at %s loses and doubles no message of any file, and no call, ${rounds} rounds`,
  { timeout: 90_000 * rounds },
  async (fault) => {
    for (let round = 1; round <= rounds; round += 1) {
      kit.model.calls.chat = 0
      const { write, texts, source, work, id } = await open()
      const expected: Record<string, string[]> = {}
      for (const name of files) {
        // Of those without ids, equal ones are told apart as well.
        const said = [`The first message of ${name}.`, 'We always say this.', 'We always say this.']
        write(name, line('1', said[0] ?? ''), ...said.slice(1).map(withoutId))
        expected[name] = said
      }
      const expectRead = async () => {
        expect(await texts()).toEqual(expected)
        expect((await source()).reading).toMatchObject({ failures: 0, reason: null, skipped: {} })
        expect(kit.model.calls.chat).toBe(files.length)
      }
      const doomed = await doom(fault)
      await kit.strike()
      await lost(doomed, fault)
      await readByOthers(doomed, round)
      await kit.pickUp()
      await expectRead()
      await wake(doomed, fault)
      await expectRead()
      // The next one is to be lost at a source of its own round.
      await work.call('POST', `/sources/${id}/pause`)
    }
  },
)

const withoutId = (text: string): string => line('', text).replace('"uuid":"",', '')
