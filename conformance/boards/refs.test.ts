import { allRoutes } from '@crewhall/contracts/routes.ts'
import { formOf } from '@crewhall/testkit/people.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'

const server = useSharedServer('product')
let workspace: BoardWorkspace
let other: BoardWorkspace
let board: Board
let twin: Board

beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
  other = await BoardWorkspace.open(server)
  board = await workspace.board({ key: 'CORE' })
  twin = await other.board({ key: 'CORE' })
})

const missing = { status: 404, body: { detail: 'Card not found' } }
const answered = async (method: string, path: string, body?: unknown) => {
  const { status, body: answer } = await workspace.call(method, path, body)
  return { status, body: answer }
}

/** Every route of members with a card in its path, and a body that it takes. */
const bodies: Readonly<Record<string, unknown>> = {
  'boards.getCard': undefined,
  'boards.changeCard': { priority: 'high' },
  'boards.moveCard': {},
  'boards.archiveCard': {},
  'boards.restoreCard': undefined,
  'boards.listComments': undefined,
  'boards.addComment': { body: 'By its ref' },
  'boards.listRelations': undefined,
  'boards.addRelation': undefined,
  'boards.removeRelation': undefined,
  'boards.claimCard': {},
  'boards.extendClaim': { claim_id: '7d3f1c5a-2b4e-4f60-8a91-0c2d3e4f5a6b', epoch: 9 },
  'boards.releaseClaim': { claim_id: '7d3f1c5a-2b4e-4f60-8a91-0c2d3e4f5a6b', epoch: 9 },
  'boards.listRuns': undefined,
  'boards.startRun': {},
  'boards.readContext': undefined,
  'boards.listChecklist': undefined,
  'boards.addChecklistItems': { checklist: ['By its ref'] },
  'boards.listChildren': undefined,
  'boards.listAttachments': undefined,
  'boards.addAttachment': formOf('file', Buffer.from('By its ref'), 'a.txt'),
  'boards.getCardCycle': undefined,
  'boards.leaveCycle': undefined,
  'boards.listWatchers': undefined,
  'boards.watchCard': undefined,
  'boards.leaveCard': undefined,
  'boards.getDelivery': undefined,
}
const named = allRoutes.filter(({ path, id }) => path.includes('/tasks/{task_id}') && !id.includes('Shared'))

test('all routes that name a card are known here', () => {
  expect(named.map(({ id }) => id).sort()).toEqual(Object.keys(bodies).sort())
})

test.each(named.map(({ id, method, path }) => [id, method, path]))(
  '%s takes a ref, in any case, and a missing one is a missing card',
  async (id, method, path) => {
    const card = await workspace.card(board)
    const beside = await workspace.card(board)
    const at = (ref: string, others: string) =>
      path
        .replace('/api/v1/board', '')
        .replace('{task_id}', ref)
        .replace('{kind}', 'relates')
        .replace('{other_id}', others)
    const body = bodies[id]
    expect(await answered(method, at('CORE-999999', beside.ref), body)).toEqual(missing)
    expect(await answered(method, at('NONE-1', beside.ref), body)).toEqual(missing)
    const { status } = await answered(method, at(card.ref.toLowerCase(), beside.ref), body)
    // A claim that nobody has is lost, on the card that was named.
    expect(status).toBe(
      /extendClaim|releaseClaim/.test(id) ? 409 : method === 'POST' && /add|start/.test(id) ? 201 : 200,
    )
  },
)

test('the ref and the id of a card give the same answer', async () => {
  const card = await workspace.card(board, { title: 'One of two names' })
  expect(await answered('GET', `/tasks/${card.ref}`)).toEqual(await answered('GET', `/tasks/${card.id}`))
})

test('the same ref in another workspace is its own card', async () => {
  const own = await workspace.card(board, { title: 'ours' })
  let theirs: Card
  do theirs = await other.card(twin, { title: 'theirs' })
  while (theirs.ref !== own.ref)
  const { body } = await workspace.call<Card>('GET', `/tasks/${own.ref}`)
  expect(body.title).toBe('ours')
  const foreign = await other.board({ key: 'ALONE' })
  const { ref } = await other.card(foreign)
  expect(await answered('GET', `/tasks/${ref}`)).toEqual(missing)
})

test('neighbors of a move are named by refs, too', async () => {
  const [first, second, third] = [
    await workspace.card(board),
    await workspace.card(board),
    await workspace.card(board),
  ]
  const { status } = await workspace.move(third, { before_id: second.ref })
  expect(status).toBe(200)
  expect((await workspace.move(third, { after_id: first.ref.toLowerCase() })).status).toBe(200)
  const ranks = [await workspace.read(first), await workspace.read(third), await workspace.read(second)]
  const sorted = ranks.map(({ rank }) => String(rank))
  expect(sorted).toEqual([...sorted].sort((a, b) => (a < b ? -1 : 1)))
  const refused = await workspace.move(third, { after_id: 'CORE-999999' })
  expect([refused.status, refused.body]).toEqual([
    400,
    { detail: 'before_id, after_id: no such card in the column' },
  ])
})

test('operations of a batch name cards by refs', async () => {
  const [card, beside] = [await workspace.card(board), await workspace.card(board)]
  const operations = [
    { op: 'change', task_id: card.ref, change: { priority: 'low' } },
    { op: 'move', task_id: card.ref.toLowerCase(), after_id: beside.ref },
    { op: 'create', task: { title: 'related' }, relations: [{ kind: 'relates', other_id: beside.ref }] },
    { op: 'create', task: { title: 'lost' }, relations: [{ kind: 'relates', other_id: 'CORE-999999' }] },
    { op: 'archive', task_id: 'CORE-999999' },
    { op: 'archive', task_id: card.ref },
  ]
  const path = `/boards/${board.id}/tasks:batch`
  const { status, body } = await workspace.call<{ results: { status: number }[] }>('POST', path, {
    operations,
  })
  expect(status).toBe(207)
  expect(body.results.map((each) => each.status)).toEqual([200, 200, 201, 404, 404, 200])
})

test.each([
  'CORE',
  'CORE-',
  'CORE-0',
  'CORE-01',
  'CORE-1234567890',
  'C-1',
  'CORE-1x',
  'ABCDEFGHIJK-1',
  '1-1',
])('no ref: %s', async (text) => {
  expect(await answered('GET', `/tasks/${text}`)).toEqual(missing)
})
