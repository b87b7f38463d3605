import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { expect, test } from 'vitest'
import { useGuests } from '../workspaces/guests/guests-world.ts'
import { useSharedBoards } from './shared-boards.ts'

const world = useGuests(useSharedServer('product'))
const { sharedBoard, asMember } = useSharedBoards(world)

test.each(['viewer', 'commenter', 'editor'])(
  'a guest who is %s writes no batch, as no card of the members’ route',
  async (role) => {
    const { brand, board_id, card, session } = await sharedBoard(role)
    const path = `/api/v1/board/boards/${board_id}/tasks`
    const single = await world.call(session, 'POST', path, { title: 'Mine' })
    expect(single.status).toBe(403)
    const operations = [
      { op: 'create', task: { title: 'Mine' } },
      { op: 'change', task_id: card.id, change: { title: 'Mine' } },
    ]
    expect(await world.call(session, 'POST', `${path}:batch`, { operations })).toEqual(single)
    expect((await asMember(brand, 'GET', `/tasks/${card.id}`)).body).toEqual(card)
  },
)

test('what a guest has written is changed in a batch as by a single call', async () => {
  const { brand, board_id, session, tasks } = await sharedBoard('editor')
  const { body: own } = await world.call<{ id: string }>(session, 'POST', tasks, { title: 'Mine' })
  const change = { title: 'Ours', description: '', labels: [] }
  const { body } = await asMember<{ results: { status: number }[] }>(
    brand,
    'POST',
    `/boards/${board_id}/tasks:batch`,
    { operations: [{ op: 'change', task_id: own.id, change }] },
  )
  expect(body.results.map(({ status }) => status)).toEqual([200])
  expect((await asMember(brand, 'GET', `/tasks/${own.id}`)).body).toMatchObject({ source: 'member' })
})
