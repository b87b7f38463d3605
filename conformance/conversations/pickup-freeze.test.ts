import { untilFrozen } from '@crewhall/testkit/frozen.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import { beforeEach, expect, test } from 'vitest'
import { useLostWorkers } from './lost-workers.ts'
import { points, sent, tellOne } from './pickup-rounds.ts'
import { usePickUps } from './pickup-world.ts'

const kit = usePickUps()
const { doom, readByOthers } = useLostWorkers(kit)
beforeEach(() => tellOne(kit))

const rounds = scaled(20, 1)

test.each(points)(
  `CONV-G9: a worker that freezes at %s and wakes up late writes nothing, with %i calls, ${rounds} rounds`,
  { timeout: 90_000 * rounds },
  async (point, calls) => {
    for (let round = 1; round <= rounds; round += 1) {
      kit.model.calls.chat = 0
      const { expectRead } = await sent(kit, `frozen at ${point} ${round}`)
      const frozen = await doom(`${point}:stop@1`)
      await kit.strike()
      await untilFrozen(frozen)
      await readByOthers(frozen, round)
      await expectRead()
      frozen.child.kill('SIGCONT')
      // It ends what it is doing first.
      await frozen.stop()
      await expectRead()
      expect(kit.model.calls.chat).toBe(calls)
    }
  },
)
