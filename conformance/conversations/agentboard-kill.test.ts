import { scaled } from '@crewhall/testkit/rounds.ts'
import { expect, test } from 'vitest'
import { AgentBoards } from './agentboard-world.ts'
import { useLostWorkers } from './lost-workers.ts'
import { memories, minute, usePickUps } from './pickup-world.ts'

const kit = usePickUps()
const { server, pickUp, advance, open } = kit
const { doom, lost, readByOthers, wake } = useLostWorkers(kit)

const rounds = scaled(20, 1)
const count = 5

test.each(['reading.stored:kill@2', 'reading.stored:stop@2'])(
  `CONV-G9, CONV-G11, SYS-17: tasks completed at one moment are all read once though a worker is lost between them at %s, ${rounds} rounds`,
  { timeout: 90_000 * rounds },
  async (fault) => {
    for (let round = 1; round <= rounds; round += 1) {
      kit.model.reset()
      kit.model.answer = () => memories()
      const { work } = await open()
      const boards = await AgentBoards.open(work)
      const board = await boards.board()
      const source = await boards.source(board)
      // Nothing to read yet, and no pick-up missed when the tasks have settled.
      await pickUp()
      const doomed = await doom(fault)
      for (let n = 0; n < count; n += 1) await boards.move(await boards.card(board, `Task ${n}`), 'done')
      const cards = await server.sql<{ id: string }>(
        `update boards.cards set completed_at = platform.now() where board_id = $1 returning id`,
        [board],
      )
      await advance(20 * minute)
      await lost(doomed, fault)
      const [at] = await server.sql<{ position: string; stored: number }>(
        `select position, (select count(*)::int from conversations.conversations c where c.source_id = s.id) as stored
           from conversations.sources s where id = $1`,
        [source.id],
      )
      const ids = cards.map(({ id }) => id).toSorted()
      expect(at).toEqual({ position: expect.stringContaining(String(ids[1])), stored: 2 })
      await readByOthers(doomed, round)
      await pickUp()
      const expectRead = async () => {
        const found = await boards.conversations(source)
        expect(found.map(({ conversation_id }) => conversation_id).toSorted()).toEqual(ids)
        expect(found.map(({ message_count, state }) => [message_count, state])).toEqual(
          Array.from({ length: count }, () => [1, 'done']),
        )
        expect(kit.model.calls.chat).toBe(count)
      }
      await expectRead()
      await wake(doomed, fault)
      await expectRead()
      await work.call('POST', `/sources/${source.id}/pause`)
    }
  },
)
