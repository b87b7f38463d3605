import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { useGuests } from '../workspaces/guests/guests-world.ts'
import {
  type Boards,
  boardMissing,
  type Card,
  type Cards,
  cardMissing,
  nowhere,
  rich,
  shared,
  useSharedBoards,
} from './shared-boards.ts'

const world = useGuests(useSharedServer('product'))
const { sharedBoard, asMember } = useSharedBoards(world)

describe('what a guest can open', () => {
  test('GST-01: a guest sees the boards shared with them over all workspaces, and nothing else', async () => {
    const [one, two] = [await world.newBrand(), await world.newBrand()]
    const guest = await world.newPerson()
    await world.newBoard(one, { name: 'Not shared' })
    const ofOne = await world.giveBoard(one, guest, 'Of one', 'viewer')
    const ofTwo = await world.giveBoard(two, guest, 'Of two', 'editor')
    const { status, body } = await world.call<Boards>(await world.sessionOf(guest), 'GET', shared)
    expect([status, body.boards.length, body.next_after]).toEqual([200, 2, null])
    expect(body.boards).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: ofOne, brand_id: one.id, name: 'Of one', role: 'viewer' }),
        expect.objectContaining({ id: ofTwo, brand_id: two.id, name: 'Of two', role: 'editor' }),
      ]),
    )
  })

  test('the list of shared boards comes page by page, each once', async () => {
    const brand = await world.newBrand()
    const guest = await world.newPerson()
    const made: string[] = []
    for (let n = 0; n < 3; n += 1) made.push(await world.giveBoard(brand, guest))
    const session = await world.sessionOf(guest)
    const first = await world.call<Boards>(session, 'GET', `${shared}?limit=2`)
    const rest = await world.call<Boards>(session, 'GET', `${shared}?limit=2&after=${first.body.next_after}`)
    expect([...first.body.boards, ...rest.body.boards].map(({ id }) => id)).toEqual(made.sort())
    expect(rest.body.next_after).toBeNull()
  })

  test.each(['viewer', 'commenter', 'editor'])(
    'a guest who is %s reads the board with its columns, its cards and their comments',
    async (role) => {
      const { brand, board_id, card, session, path, tasks } = await sharedBoard(role)
      await asMember(brand, 'POST', `/tasks/${card.id}/comments`, { body: 'Hello' })
      expect(await world.call(session, 'GET', path)).toMatchObject({
        status: 200,
        body: { id: board_id, role, columns: [{ name: 'To do' }, {}, {}, { name: 'Done' }] },
      })
      expect(await world.call(session, 'GET', tasks)).toMatchObject({
        status: 200,
        body: { items: [{ id: card.id }], total: 1, page: 1, per_page: 50 },
      })
      expect(await world.call(session, 'GET', `${tasks}/${card.id}`)).toMatchObject({
        status: 200,
        body: { id: card.id, title: 'Open the door', description: 'Why it is shut' },
      })
      expect(await world.call(session, 'GET', `${tasks}/${card.id}/comments`)).toMatchObject({
        status: 200,
        body: { items: [{ body: 'Hello' }], total: 1, page: 1, per_page: 50 },
      })
    },
  )

  test('what is not shared with the caller is missing, also for an admin of the workspace it belongs to', async () => {
    const { brand, board_id, card } = await sharedBoard('viewer')
    const stranger = await world.sessionOf(await world.newPerson())
    const admin = { cookie: await world.workspaces.newCookie(brand.admin_id, brand.id) }
    for (const session of [stranger, admin]) {
      for (const id of [board_id, nowhere, 'nothing']) {
        const of = (path: string, method = 'GET', body?: unknown) =>
          world.call(session, method, `${shared}/${id}${path}`, body)
        expect(await of('')).toEqual(boardMissing)
        expect(await of('/tasks')).toEqual(boardMissing)
        expect(await of('/tasks', 'POST', { title: 'x' })).toEqual(boardMissing)
        expect(await of(`/tasks/${card.id}`)).toEqual(cardMissing)
        expect(await of(`/tasks/${card.id}`, 'PATCH', { title: 'x' })).toEqual(cardMissing)
        expect(await of(`/tasks/${card.id}/comments`)).toEqual(cardMissing)
        expect(await of(`/tasks/${card.id}/comments`, 'POST', { body: 'x' })).toEqual(cardMissing)
      }
    }
  })

  test('a card of another board cannot be reached through one that is shared', async () => {
    const { brand, session, tasks } = await sharedBoard('editor')
    const other = await world.newBoard(brand)
    const { body: secret } = await asMember<Card>(brand, 'POST', `/boards/${other}/tasks`, rich)
    const through = `${tasks}/${secret.id}`
    expect(await world.call(session, 'GET', through)).toEqual(cardMissing)
    expect(await world.call(session, 'PATCH', through, { title: 'x' })).toEqual(cardMissing)
    expect(await world.call(session, 'GET', `${through}/comments`)).toEqual(cardMissing)
    expect(await world.call(session, 'POST', `${through}/comments`, { body: 'x' })).toEqual(cardMissing)
    expect((await asMember(brand, 'GET', `/tasks/${secret.id}`)).body).toEqual(secret)
  })

  test('a token reaches no board of another workspace, because it acts for one workspace', async () => {
    const [home, other] = [await world.newBrand(), await world.newBrand()]
    const member = await world.newMember(home)
    const [row] = await world.workspaces.sql<{ email: string }>(
      'select email from identity.people where id = $1',
      [member.id],
    )
    const board_id = await world.giveBoard(other, { id: member.id, email: row?.email ?? '' })
    for (const path of [shared, `${shared}/${board_id}`, `${shared}/${board_id}/tasks`]) {
      expect((await world.call(member.headers, 'GET', path)).status).toBe(401)
    }
  })

  test('a guest has no way in through the routes of members', async () => {
    const { board_id, card, session } = await sharedBoard('editor')
    for (const path of ['/boards', `/boards/${board_id}`, `/boards/${board_id}/tasks`, `/tasks/${card.id}`]) {
      expect((await world.call(session, 'GET', `/api/v1/board${path}`)).status).toBe(403)
    }
  })
})

describe('what a guest sees of a card', () => {
  let board: Awaited<ReturnType<typeof sharedBoard>>
  let email = ''
  /** Claimed, assigned, commented and linked to a card of a board that the guest cannot open. */
  beforeAll(async () => {
    board = await sharedBoard('editor')
    const { brand, card } = board
    const [admin] = await world.workspaces.sql<{ email: string }>(
      'select email from identity.people where id = $1',
      [brand.admin_id],
    )
    email = admin?.email ?? ''
    const { body: other } = await asMember<Card>(
      brand,
      'POST',
      `/boards/${await world.newBoard(brand)}/tasks`,
      rich,
    )
    await asMember(brand, 'PATCH', `/tasks/${card.id}`, { assignee: { kind: 'member', id: brand.admin_id } })
    await asMember(brand, 'POST', `/tasks/${card.id}/comments`, { body: 'Hello' })
    const claimed = await asMember(brand, 'POST', `/tasks/${card.id}/claim`, { worker: 'bot' })
    const related = await asMember(brand, 'PUT', `/tasks/${other.id}/relations/blocks/${card.id}`)
    expect([claimed.status, related.status].every((status) => status < 300)).toBe(true)
  })

  test.each(['summary', 'standard', 'full'])(
    'at %s there is no address, claim, text for agents, cost, or id of a person or of another board’s card',
    async (detail) => {
      const { session, tasks, card, brand } = board
      const list = await world.call<Cards>(session, 'GET', `${tasks}?detail=${detail}`)
      const one = await world.call<Card>(session, 'GET', `${tasks}/${card.id}`)
      const said = await world.call(session, 'GET', `${tasks}/${card.id}/comments`)
      const told = JSON.stringify([list, one, said])
      const [full] = await world.workspaces.sql<{ claim_id: string; blocked_by: string[] }>(
        'select claim_id, blocked_by from boards.cards where id = $1',
        [card.id],
      )
      const { claim_id = '', blocked_by: [blocker = ''] = [] } = full ?? {}
      expect([claim_id, blocker].every((id) => id.length === 36)).toBe(true)
      for (const hidden of ['secret', claim_id, blocker, email, `"id":"${brand.admin_id}"`])
        expect(told).not.toContain(hidden)
      const ofCards = [...list.body.items, one.body].flatMap((each) => Object.keys(each))
      for (const name of ['agent_context', 'claim', 'claim_epoch', 'instructions', 'plan', 'notes', 'log'])
        expect(ofCards).not.toContain(name)
      for (const name of ['usage_tokens', 'usage_cost_micros', 'last_run_id', 'client_ref', 'blocked_by'])
        expect(ofCards).not.toContain(name)
      expect([ofCards.includes('parent_id'), told.includes('on_behalf_of')]).toEqual([false, false])
    },
  )

  test('who works on it and who said something is told by name', async () => {
    const { session, tasks, card } = board
    const { body } = await world.call<Card>(session, 'GET', `${tasks}/${card.id}`)
    const member = { kind: 'member', name: 'Ann Example' }
    expect(body).toMatchObject({ acceptance_criteria: '- [ ] it opens', result: 'It opens.' })
    expect([body.assignee, body.created_by, body.reporter]).toEqual([member, member, member])
    const said = await world.call<Cards>(session, 'GET', `${tasks}/${card.id}/comments`)
    expect(said.body.items[0]?.author).toEqual(member)
  })

  test('a list without detail is a summary, as members see it but for the numbers of people', async () => {
    const { brand, board_id, session, tasks } = board
    const list = (await world.call<Cards>(session, 'GET', tasks)).body
    const { body: seen } = await asMember<Cards>(brand, 'GET', `/boards/${board_id}/tasks?detail=summary`)
    expect(list.items.map((card) => Object.keys(card).sort())).toEqual(
      seen.items.map((card) => Object.keys(card).sort()),
    )
    expect(list.items[0]).toEqual({ ...seen.items[0], assignee: { kind: 'member', name: 'Ann Example' } })
  })

  test('pages of the guest and of the member hold the same cards in the same order', async () => {
    const { brand, board_id, session, tasks } = await sharedBoard('viewer')
    for (let n = 0; n < 4; n += 1)
      await asMember(brand, 'POST', `/boards/${board_id}/tasks`, { title: `Card ${n}` })
    for (const page of [1, 2, 3, 4]) {
      const query = `?page=${page}&per_page=2`
      const mine = await world.call<Cards>(session, 'GET', `${tasks}${query}`)
      const theirs = await asMember<Cards>(brand, 'GET', `/boards/${board_id}/tasks${query}`)
      const ids = ({ body }: typeof mine) => [body.total, body.items.map(({ id }) => id)]
      expect(ids(mine)).toEqual(ids(theirs))
    }
  })

  test.each(['detail=everything', 'page=0', 'per_page=101', 'per_page=x'])('%s is refused', async (query) => {
    const { session, tasks } = board
    expect((await world.call(session, 'GET', `${tasks}?${query}`)).status).toBe(400)
  })
})
