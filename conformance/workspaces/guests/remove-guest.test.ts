import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { expect, test } from 'vitest'
import { type Brand, useGuests } from './guests-world.ts'

const world = useGuests(useSharedServer('product'))

const remove = ({ id, admin }: Brand, user_id: number | string) =>
  world.call(admin, 'DELETE', `/api/v1/brands/${id}/guests/${user_id}`)
const removed = (boards_removed: number, docs_removed: number) => ({
  status: 200,
  body: { success: true, boards_removed, docs_removed },
})
const notFound = { status: 404, body: { detail: 'Guest not found' } }

test('GST-18, GST-20: the answer counts what was removed of each kind', async () => {
  const brand = await world.newBrand()
  const guest = await world.newGuest(brand)
  await world.admit(brand, await world.newSpace(brand), guest)
  for (let n = 0; n < 3; n += 1) await world.giveBoard(brand, guest)
  expect(await remove(brand, guest.id)).toEqual(removed(3, 2))
})

test('GST-18, GST-20: a kind the guest had nothing of counts 0', async () => {
  const brand = await world.newBrand()
  const [ofDocs, ofBoards] = [await world.newGuest(brand), await world.newPerson()]
  await world.giveBoard(brand, ofBoards)
  expect(await remove(brand, ofDocs.id)).toEqual(removed(0, 1))
  expect(await remove(brand, ofBoards.id)).toEqual(removed(1, 0))
})

test('GST-19: the guest can open nothing of the workspace any more, and is not listed', async () => {
  const brand = await world.newBrand()
  const guest = await world.newGuest(brand)
  const boards = [await world.giveBoard(brand, guest), await world.giveBoard(brand, guest)]
  const session = await world.sessionOf(guest)
  const paths = [
    `/api/v1/docs/shared/${guest.space_id}`,
    ...boards.map((board_id) => `/api/v1/board/shared/${board_id}`),
  ]
  const statuses = async () =>
    (await Promise.all(paths.map((path) => world.call(session, 'GET', path)))).map(({ status }) => status)
  expect(await statuses()).toEqual([200, 200, 200])
  await remove(brand, guest.id)
  expect(await statuses()).toEqual([404, 404, 404])
  expect((await world.guestsOf(brand)).body.total).toBe(0)
})

test('GST-19: access to another workspace stays, and so do the other guests of this one', async () => {
  const [brand, other] = [await world.newBrand(), await world.newBrand()]
  const [guest, neighbour] = [await world.newGuest(brand), await world.newGuest(brand)]
  const elsewhere = await world.newSpace(other)
  await world.admit(other, elsewhere, guest)
  const board_id = await world.giveBoard(other, guest)
  expect(await remove(brand, guest.id)).toEqual(removed(0, 1))
  const left = async (of: Brand) =>
    (await world.guestsOf(of)).body.guests.map(({ user_id, access }) => [user_id, access.length])
  expect(await left(brand)).toEqual([[neighbour.id, 1]])
  expect(await left(other)).toEqual([[guest.id, 2]])
  const session = await world.sessionOf(guest)
  for (const path of [`/api/v1/docs/shared/${elsewhere}`, `/api/v1/board/shared/${board_id}`]) {
    expect((await world.call(session, 'GET', path)).status).toBe(200)
  }
})

test('GST-21: pages that the guest wrote stay as they were, still attributed to them', async () => {
  const brand = await world.newBrand()
  const guest = await world.newPerson('Gus Author')
  const space_id = await world.newSpace(brand)
  await world.admit(brand, space_id, guest, 'editor')
  const written = await world.call<{ id: string }>(
    await world.sessionOf(guest),
    'POST',
    `/api/v1/docs/shared/${space_id}/pages`,
    { title: 'How to', body: '# By *Gus*' },
  )
  expect(written.status).toBe(201)
  await remove(brand, guest.id)
  const page = await world.call(
    brand.admin,
    'GET',
    `/api/v1/docs/spaces/${space_id}/pages/${written.body.id}`,
  )
  expect(page).toEqual({ status: 200, body: written.body })
  expect(page.body).toMatchObject({
    author: { user_id: guest.id, name: 'Gus Author' },
    title: 'How to',
    body: '# By *Gus*',
  })
})

test('GST-21: cards and comments that the guest wrote stay as they were, still attributed to them', async () => {
  const brand = await world.newBrand()
  const guest = await world.newPerson('Gus Author')
  const board_id = await world.giveBoard(brand, guest)
  const session = await world.sessionOf(guest)
  const tasks = `/api/v1/board/shared/${board_id}/tasks`
  const { body: card } = await world.call<{ id: string }>(session, 'POST', tasks, { title: 'By Gus' })
  await world.call(session, 'POST', `${tasks}/${card.id}/comments`, { body: 'Said by *Gus*' })
  const read = async () => [
    await world.call(brand.admin, 'GET', `/api/v1/board/tasks/${card.id}`),
    await world.call(brand.admin, 'GET', `/api/v1/board/tasks/${card.id}/comments`),
  ]
  const before = await read()
  expect(await remove(brand, guest.id)).toEqual(removed(1, 0))
  expect(await read()).toEqual(before)
  const author = { kind: 'guest', id: String(guest.id), name: 'Gus Author', on_behalf_of: null }
  expect(before).toMatchObject([
    { status: 200, body: { title: 'By Gus', source: 'guest', created_by: author, reporter: author } },
    { status: 200, body: { items: [{ body: 'Said by *Gus*', author }] } },
  ])
})

test('GST-22: the second removal finds no guest', async () => {
  const brand = await world.newBrand()
  const { id } = await world.newGuest(brand)
  expect(await remove(brand, id)).toEqual(removed(0, 1))
  expect(await remove(brand, id)).toEqual(notFound)
})

test('GST-22: whoever is no guest of this workspace is one answer', async () => {
  const [brand, other] = [await world.newBrand(), await world.newBrand()]
  const stranger = await world.newPerson()
  const foreign = await world.newGuest(other)
  const member = await world.newMember(brand)
  for (const user_id of [stranger.id, foreign.id, member.id, brand.admin_id, 2_000_000_000, 0, 'x', '1.5']) {
    expect([user_id, await remove(brand, user_id)]).toEqual([user_id, notFound])
  }
  expect((await world.guestsOf(other)).body.total).toBe(1)
})

test('GST-22: a member with access of their own is no guest, and keeps it', async () => {
  const brand = await world.newBrand()
  const member = await world.newMember(brand)
  await world.forceOnBoard(brand, await world.newBoard(brand), member.id)
  expect(await remove(brand, member.id)).toEqual(notFound)
  const rows = await world.workspaces.sql('select role from boards.guests where person_id = $1', [member.id])
  expect(rows).toEqual([{ role: 'editor' }])
})

test('GST-G8: the open invitation of a removed guest is revoked', async () => {
  const brand = await world.newBrand()
  const { id, email } = await world.newGuest(brand)
  const invitations = `/api/v1/brands/${brand.id}/invitations`
  await world.call(brand.admin, 'POST', `/api/v1/brands/${brand.id}/guests/${id}/make-member`)
  expect(await world.call(brand.admin, 'GET', invitations)).toMatchObject({ body: { total: 1 } })
  await remove(brand, id)
  expect(await world.call(brand.admin, 'GET', invitations)).toMatchObject({ body: { total: 0 } })
  const rows = await world.workspaces.sql('select status from workspaces.invitations where email = $1', [
    email,
  ])
  expect(rows).toEqual([{ status: 'revoked' }])
})

test('GST-G8: invitations of others, and of the guest to another workspace, stay', async () => {
  const [brand, other] = [await world.newBrand(), await world.newBrand()]
  const [guest, neighbour] = [await world.newGuest(brand), await world.newGuest(brand)]
  await world.admit(other, await world.newSpace(other), guest)
  const invite = (of: Brand, user_id: number) =>
    world.call(of.admin, 'POST', `/api/v1/brands/${of.id}/guests/${user_id}/make-member`)
  await Promise.all([invite(brand, guest.id), invite(other, guest.id)])
  await invite(brand, neighbour.id)
  await remove(brand, guest.id)
  const open = async (of: Brand) =>
    (await world.call<{ total: number }>(of.admin, 'GET', `/api/v1/brands/${of.id}/invitations`)).body.total
  expect([await open(brand), await open(other)]).toEqual([1, 1])
})

test('the audit tells who removed which guest, and how much that was', async () => {
  const brand = await world.newBrand()
  const guest = await world.newGuest(brand)
  await world.giveBoard(brand, guest)
  await remove(brand, guest.id)
  await remove(brand, guest.id)
  const audit = await world.call<{ items: unknown[] }>(
    brand.admin,
    'GET',
    `/api/v1/brands/${brand.id}/audit?action=guest.removed`,
  )
  expect(audit.body.items).toHaveLength(1)
  expect(audit.body.items).toMatchObject([
    {
      target: `guest:${guest.id}`,
      from: { boards_removed: 1, docs_removed: 1 },
      actor: { user_id: brand.admin_id },
      credential: { kind: 'token' },
    },
  ])
})

test('each board tells in its activity that the guest was removed from it', async () => {
  const brand = await world.newBrand()
  const guest = await world.newPerson()
  const boards = [await world.giveBoard(brand, guest), await world.giveBoard(brand, guest, 'Two', 'viewer')]
  await world.call(brand.admin, 'POST', `/api/v1/board/boards/${boards[1]}/archive`)
  await remove(brand, guest.id)
  const newest = async (board_id: string | undefined) =>
    (
      await world.call<{ items: unknown[] }>(
        brand.admin,
        'GET',
        `/api/v1/board/activity/boards/${board_id}?limit=1`,
      )
    ).body.items[0]
  const entry = { action: 'guest.removed', task_id: null, actor: { kind: 'member', id: `${brand.admin_id}` } }
  expect(await newest(boards[0])).toMatchObject({ ...entry, data: { user_id: guest.id, role: 'editor' } })
  expect(await newest(boards[1])).toMatchObject({ ...entry, data: { user_id: guest.id, role: 'viewer' } })
})

test('a member may not remove a guest', async () => {
  const brand = await world.newBrand()
  const { id } = await world.newGuest(brand)
  const { headers } = await world.newMember(brand)
  const refused = await world.call(headers, 'DELETE', `/api/v1/brands/${brand.id}/guests/${id}`)
  expect(refused).toEqual({ status: 403, body: { detail: 'Brand admin access required' } })
  expect((await world.guestsOf(brand)).body.total).toBe(1)
})
