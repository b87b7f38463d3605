import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeEach, expect, test } from 'vitest'
import { useGuests } from '../workspaces/guests/guests-world.ts'
import { BoardWorkspace, type Card } from './board-workspace.ts'
import { useSharedBoards } from './shared-boards.ts'

const server = useSharedServer('product')
const world = useGuests(server)
const { sharedBoard, asMember } = useSharedBoards(world)
let workspace: BoardWorkspace
beforeEach(async () => {
  workspace = await BoardWorkspace.open(server)
})

interface Working {
  items: { id: string; ref: string; board: string; [field: string]: unknown }[]
  next_cursor: string | null
}
const working = (query = '', by = workspace) => by.call<Working>('GET', `/working-now${query}`)
const claim = async (card: Card, worker: string) =>
  (
    await workspace.call<{ claim_id: string; epoch: number }>('POST', `/tasks/${card.id}/claim`, {
      worker,
      lease_seconds: 600,
    })
  ).body

test('cards that are worked on are listed over all boards with worker, lease, run and usage, the longest first', async () => {
  const [one, two] = [await workspace.board(), await workspace.board()]
  const [first, second, idle] = [
    await workspace.card(two, { title: 'First' }),
    await workspace.card(one),
    await workspace.card(one),
  ]
  const held = await claim(first, 'ada')
  const earlier = await workspace.call<{ id: string }>('POST', `/tasks/${first.id}/runs`, {
    epoch: held.epoch,
    worker: 'ada',
  })
  const report = { summary: 'Looked around\nTwo tests fail \n', usage: { tokens: 30, cost_micros: 7 } }
  await workspace.call('PATCH', `/runs/${earlier.body.id}`, report)
  await claim(second, 'bob')
  // A heartbeat moves the end of the lease and not the place in the list.
  await workspace.call('POST', `/tasks/${first.id}/heartbeat`, { ...held, lease_seconds: 3600 })
  const { status, body } = await working()
  expect(status).toBe(200)
  expect(body).toMatchObject({
    next_cursor: null,
    items: [
      {
        id: first.id,
        ref: first.ref,
        title: 'First',
        board_id: two.id,
        board: two.name,
        claim: { claim_id: held.claim_id, epoch: held.epoch, holder: { kind: 'agent', name: 'ada' } },
        run: {
          id: earlier.body.id,
          number: 1,
          line: 'Two tests fail',
          usage: { tokens: 30, cost_micros: 7 },
        },
        usage: { tokens: 30, cost_micros: 7 },
      },
      { id: second.id, ref: second.ref, board: one.name, run: null, usage: { tokens: 0, cost_micros: 0 } },
    ],
  })
  expect(JSON.stringify(body)).not.toContain(idle.id)

  const page = (await working('?limit=1')).body
  expect(page.items.map(({ id }) => id)).toEqual([first.id])
  // What ends meanwhile shifts nothing.
  await workspace.call('POST', `/tasks/${first.id}/release`, held)
  const rest = (await working(`?limit=1&cursor=${page.next_cursor}`)).body
  expect(rest.items.map(({ id }) => id)).toEqual([second.id])
  expect((await working(`?cursor=${rest.next_cursor}`)).body).toEqual({ items: [], next_cursor: null })

  await workspace.call('POST', `/boards/${one.id}/archive`)
  expect((await working()).body.items).toEqual([])
})

test('another workspace, a guest and a lease that ended see and show nothing', async () => {
  const card = await workspace.card(await workspace.board())
  await claim(card, 'ada')
  const { next_cursor } = (await working('?limit=1')).body
  const other = await BoardWorkspace.open(server)
  expect((await working('', other)).body).toEqual({ items: [], next_cursor: null })
  for (const cursor of [`${next_cursor}`, 'start', `${next_cursor}x`])
    expect(await working(`?cursor=${cursor}`, other)).toMatchObject({ status: 400 })
  expect(await working('?since=1')).toMatchObject({ status: 400 })

  const { brand, card: theirs, session } = await sharedBoard('editor')
  await asMember(brand, 'POST', `/tasks/${theirs.id}/claim`, {})
  const refused = await world.call(session, 'GET', '/api/v1/board/working-now')
  expect(refused.status).toBe(403)
  expect(JSON.stringify(refused.body)).not.toContain(theirs.id)

  await server.sql('update boards.cards set claim_expires_at = platform.clock_now() where id = $1', [card.id])
  expect((await working()).body.items).toEqual([])
})
