import { newEmail } from '@crewhall/testkit/people.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { expect, test } from 'vitest'
import { type Brand, useGuests } from '../workspaces/guests/guests-world.ts'

const world = useGuests(useSharedServer('product'))
const pathOf = (board_id: string) => `/api/v1/board/boards/${board_id}/guests`
const notFound = { status: 404, body: { detail: 'Guest not found' } }
const boardMissing = { status: 404, body: { detail: 'Board not found' } }

interface BoardGuest {
  readonly user_id: number
  readonly role: string
}
interface List {
  readonly guests: readonly BoardGuest[]
  readonly next_after: number | null
}
interface Entry {
  readonly action: string
}

async function newBoard() {
  const brand = await world.newBrand()
  const board_id = await world.newBoard(brand)
  return { brand, board_id, path: pathOf(board_id) }
}
const auditOf = async ({ id, admin }: Brand, action: string) =>
  (await world.call<{ items: unknown[] }>(admin, 'GET', `/api/v1/brands/${id}/audit?action=${action}`)).body
    .items
/** Entries about guests, oldest first. */
const activityOf = async ({ admin }: Brand, board_id: string) => {
  const path = `/api/v1/board/activity/boards/${board_id}`
  const { items } = (await world.call<{ items: Entry[] }>(admin, 'GET', path)).body
  return items.filter(({ action }) => action.startsWith('guest.')).reverse()
}

test('an admin lets a person in by their address, whatever its case', async () => {
  const { brand, path } = await newBoard()
  const person = await world.newPerson('Gus Guest')
  const added = await world.call<BoardGuest>(brand.admin, 'POST', path, {
    email: person.email.toUpperCase(),
    role: 'commenter',
  })
  expect(added.status).toBe(201)
  expect(added.body).toMatchObject({
    user_id: person.id,
    email: person.email,
    full_name: 'Gus Guest',
    image: null,
    role: 'commenter',
  })
  expect(await world.call(brand.admin, 'GET', path)).toEqual({
    status: 200,
    body: { guests: [added.body], next_after: null },
  })
})

test('an address that nobody has is refused', async () => {
  const { brand, path } = await newBoard()
  expect(await world.call(brand.admin, 'POST', path, { email: newEmail(), role: 'viewer' })).toEqual({
    status: 404,
    body: { detail: 'Person not found' },
  })
})

test('GST-01: a member of the workspace cannot be made a guest of its boards', async () => {
  const { brand, path } = await newBoard()
  const member = await world.newMember(brand)
  const email = newEmail()
  await world.workspaces.sql('update identity.people set email = $2 where id = $1', [member.id, email])
  expect(await world.call(brand.admin, 'POST', path, { email, role: 'viewer' })).toEqual({
    status: 400,
    body: { detail: 'User is already a member of this brand' },
  })
})

test('a guest is let in once, also by two admins at once', async () => {
  const { brand, board_id, path } = await newBoard()
  const { email } = await world.newPerson()
  const add = () => world.call(brand.admin, 'POST', path, { email, role: 'viewer' })
  const answers = await Promise.all([add(), add()])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
  expect(await add()).toEqual({
    status: 409,
    body: { detail: 'This person is already a guest of this board' },
  })
  expect(await activityOf(brand, board_id)).toHaveLength(1)
})

test.each(['owner', '', null, undefined, 'Viewer'])('%j is no role of a guest', async (role) => {
  const { brand, path } = await newBoard()
  const { email } = await world.newPerson()
  expect((await world.call(brand.admin, 'POST', path, { email, role })).status).toBe(400)
})

test('a workspace gives a thousand accesses to boards, and no more', async () => {
  const { brand, board_id, path } = await newBoard()
  await world.workspaces.sql(
    `with person as (
       insert into identity.people (email, full_name)
       select 'board-' || $1::int || '-' || n || '@example.test', 'Guest ' || n from generate_series(1, 1000) n returning id)
     insert into boards.guests (brand_id, board_id, person_id, role) select $1, $2, id, 'viewer' from person`,
    [brand.id, board_id],
  )
  const { email } = await world.newPerson()
  expect(await world.call(brand.admin, 'POST', path, { email, role: 'viewer' })).toEqual({
    status: 409,
    body: { detail: 'A workspace can share boards with guests at most 1000 times' },
  })
  expect((await world.guestsOf(brand)).body.total).toBe(1000)
})

test('nobody is let onto an archived board, but whoever is a guest of it can be removed', async () => {
  const { brand, board_id, path } = await newBoard()
  const [guest, other] = [await world.newPerson(), await world.newPerson()]
  await world.admitToBoard(brand, board_id, guest, 'editor')
  await world.call(brand.admin, 'POST', `/api/v1/board/boards/${board_id}/archive`)
  const refused = await world.call(brand.admin, 'POST', path, { email: other.email, role: 'viewer' })
  expect(refused).toEqual({ status: 409, body: { detail: 'This board is archived' } })
  const lowered = await world.call(brand.admin, 'PATCH', `${path}/${guest.id}`, { role: 'viewer' })
  expect(lowered).toMatchObject({ status: 200, body: { role: 'viewer' } })
  expect((await world.call(brand.admin, 'DELETE', `${path}/${guest.id}`)).status).toBe(200)
})

test('the audit and the activity of the board tell what became of a guest, and by whom', async () => {
  const { brand, board_id, path } = await newBoard()
  const person = await world.newPerson('Gus Guest')
  await world.admitToBoard(brand, board_id, person, 'viewer')
  const change = () => world.call(brand.admin, 'PATCH', `${path}/${person.id}`, { role: 'editor' })
  const changed = await change()
  expect(changed).toMatchObject({ status: 200, body: { user_id: person.id, role: 'editor' } })
  // The second one changes nothing, so it tells nothing.
  expect(await change()).toEqual(changed)
  await world.call(brand.admin, 'DELETE', `${path}/${person.id}`)
  const [viewer, editor] = [
    { board_id, role: 'viewer' },
    { board_id, role: 'editor' },
  ]
  const target = `guest:${person.id}`
  expect([
    ...(await auditOf(brand, 'board_guest.added')),
    ...(await auditOf(brand, 'board_guest.changed')),
    ...(await auditOf(brand, 'board_guest.removed')),
  ]).toMatchObject([
    { target, from: null, to: viewer, actor: { user_id: brand.admin_id } },
    { target, from: viewer, to: editor, actor: { user_id: brand.admin_id } },
    { target, from: editor, to: null, actor: { user_id: brand.admin_id } },
  ])
  const by = { task_id: null, actor: { kind: 'member', id: `${brand.admin_id}` } }
  const user_id = person.id
  const entries = await activityOf(brand, board_id)
  expect(entries).toMatchObject([
    { ...by, action: 'guest.added', data: { user_id, name: 'Gus Guest', role: 'viewer' } },
    { ...by, action: 'guest.role_changed', data: { user_id, from: 'viewer', to: 'editor' } },
    { ...by, action: 'guest.removed', data: { user_id, role: 'editor' } },
  ])
  expect(JSON.stringify(entries)).not.toContain(person.email)
})

test('an admin ends the access to one board, and that to another stays', async () => {
  const { brand, board_id, path } = await newBoard()
  const guest = await world.newPerson()
  const kept = await world.giveBoard(brand, guest)
  await world.admitToBoard(brand, board_id, guest, 'editor')
  const remove = () => world.call(brand.admin, 'DELETE', `${path}/${guest.id}`)
  expect(await remove()).toEqual({ status: 200, body: { removed: true } })
  expect(await remove()).toEqual(notFound)
  const [left] = (await world.guestsOf(brand)).body.guests
  expect(left?.access.map(({ resource_id }) => resource_id)).toEqual([kept])
})

test('guests of a board are listed by id, page by page, each once', async () => {
  const { brand, board_id, path } = await newBoard()
  const made: number[] = []
  for (let n = 0; n < 3; n += 1) {
    const person = await world.newPerson()
    await world.admitToBoard(brand, board_id, person)
    made.push(person.id)
  }
  const first = await world.call<List>(brand.admin, 'GET', `${path}?limit=2`)
  const rest = await world.call<List>(brand.admin, 'GET', `${path}?limit=2&after=${first.body.next_after}`)
  expect([...first.body.guests, ...rest.body.guests].map(({ user_id }) => user_id)).toEqual(made)
  expect(rest.body.next_after).toBeNull()
})

test('guests of a board of another workspace are missing, and stay as they are', async () => {
  const [mine, other] = [await newBoard(), await newBoard()]
  const person = await world.newPerson()
  await world.admitToBoard(other.brand, other.board_id, person)
  const one = `${other.path}/${person.id}`
  const { email } = person
  const { admin } = mine.brand
  expect(await world.call(admin, 'GET', other.path)).toEqual(boardMissing)
  expect(await world.call(admin, 'POST', other.path, { email, role: 'viewer' })).toEqual(boardMissing)
  expect(await world.call(admin, 'PATCH', one, { role: 'editor' })).toEqual(notFound)
  expect(await world.call(admin, 'DELETE', one)).toEqual(notFound)
  expect(await world.call(other.brand.admin, 'GET', other.path)).toMatchObject({
    body: { guests: [{ user_id: person.id, role: 'viewer' }] },
  })
})

test('a member may neither see nor change the guests of a board', async () => {
  const { brand, board_id, path } = await newBoard()
  const person = await world.newPerson()
  await world.admitToBoard(brand, board_id, person)
  const { headers } = await world.newMember(brand)
  for (const [method, at, body] of [
    ['GET', path],
    ['POST', path, { email: newEmail(), role: 'viewer' }],
    ['PATCH', `${path}/${person.id}`, { role: 'editor' }],
    ['DELETE', `${path}/${person.id}`],
  ] as const)
    expect(await world.call(headers, method, at, body)).toEqual({
      status: 403,
      body: { detail: 'Brand admin access required' },
    })
})
