import { newEmail } from '@crewhall/testkit/people.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { expect, test } from 'vitest'
import { useGuests } from './guests-world.ts'

const world = useGuests(useSharedServer('product'))

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

test('GST-02, GST-03: a workspace without guests has none and a total of 0', async () => {
  expect(await world.guestsOf(await world.newBrand())).toEqual({
    status: 200,
    body: { guests: [], total: 0 },
  })
})

test('GST-02, GST-03, GST-04, GST-05: a guest is listed once, with everything they can open', async () => {
  const brand = await world.newBrand()
  const person = await world.newPerson('Gus Guest')
  const [one, two] = [await world.newSpace(brand, 'Alpha'), await world.newSpace(brand, 'Beta')]
  await world.admit(brand, one, person, 'editor')
  await world.admit(brand, two, person, 'viewer')
  expect(await world.guestsOf(brand)).toEqual({
    status: 200,
    body: {
      guests: [
        {
          user_id: person.id,
          email: person.email,
          full_name: 'Gus Guest',
          image: null,
          access: [
            { kind: 'docs', resource_id: one, name: 'Alpha', role: 'editor' },
            { kind: 'docs', resource_id: two, name: 'Beta', role: 'viewer' },
          ],
        },
      ],
      total: 1,
    },
  })
})

test('GST-04: the picture of a guest is told when there is one', async () => {
  const brand = await world.newBrand()
  const { id } = await world.newGuest(brand)
  await world.workspaces.sql('update identity.people set image = $2 where id = $1', [
    id,
    'https://x.test/a.png',
  ])
  expect((await world.guestsOf(brand)).body.guests[0]?.image).toBe('https://x.test/a.png')
})

test('GST-05, GST-06: boards and docs spaces of one guest stand in one list, boards first', async () => {
  const brand = await world.newBrand()
  const guest = await world.newGuest(brand)
  await world.giveBoard(brand, guest)
  const { body } = await world.guestsOf(brand)
  expect(body.guests[0]?.access.map(({ kind, name }) => [kind, name])).toEqual([
    ['board', 'Sprint'],
    ['docs', 'Handbook'],
  ])
})

test('GST-07: what a guest can open is named by a UUID', async () => {
  const brand = await world.newBrand()
  const guest = await world.newGuest(brand)
  const { space_id } = guest
  const board_id = await world.giveBoard(brand, guest)
  const access = (await world.guestsOf(brand)).body.guests[0]?.access ?? []
  expect(access.map(({ resource_id }) => resource_id)).toEqual([board_id, space_id])
  for (const { resource_id } of access) expect(resource_id).toMatch(uuid)
})

test('GST-08: the list tells the name that a board or a space has now', async () => {
  const brand = await world.newBrand()
  const guest = await world.newGuest(brand)
  const board_id = await world.giveBoard(brand, guest)
  await world.call(brand.admin, 'PATCH', `/api/v1/docs/spaces/${guest.space_id}`, { name: 'Space, renamed' })
  await world.call(brand.admin, 'PATCH', `/api/v1/board/boards/${board_id}`, { name: 'Board, renamed' })
  const access = (await world.guestsOf(brand)).body.guests[0]?.access ?? []
  expect(access.map(({ name }) => name)).toEqual(['Board, renamed', 'Space, renamed'])
})

test('GST-09: the role is the level on that board or in that space', async () => {
  const brand = await world.newBrand()
  const guest = await world.newGuest(brand)
  await world.giveBoard(brand, guest, 'One', 'commenter')
  const two = await world.giveBoard(brand, guest, 'Two', 'viewer')
  await world.call(brand.admin, 'PATCH', `/api/v1/board/boards/${two}/guests/${guest.id}`, { role: 'editor' })
  const access = (await world.guestsOf(brand)).body.guests[0]?.access ?? []
  expect(access.map(({ name, role }) => [name, role])).toEqual([
    ['One', 'commenter'],
    ['Two', 'editor'],
    ['Handbook', 'viewer'],
  ])
})

test('GST-05: a board that is archived can still be opened, and is listed', async () => {
  const brand = await world.newBrand()
  const board_id = await world.giveBoard(brand, await world.newPerson())
  await world.call(brand.admin, 'POST', `/api/v1/board/boards/${board_id}/archive`)
  expect((await world.guestsOf(brand)).body.guests[0]?.access[0]?.resource_id).toBe(board_id)
})

test('GST-01: a member with access of their own is no guest', async () => {
  const brand = await world.newBrand()
  const member = await world.newMember(brand)
  await world.forceOnBoard(brand, await world.newBoard(brand), member.id)
  const guest = await world.newGuest(brand)
  const { body } = await world.guestsOf(brand)
  expect([body.total, body.guests[0]?.user_id]).toEqual([1, guest.id])
})

test('GST-01: a former member with access is a guest', async () => {
  const brand = await world.newBrand()
  const { id } = await world.newMember(brand)
  await world.forceOnBoard(brand, await world.newBoard(brand), id)
  await world.workspaces.sql(`update identity.memberships set status = 'removed' where person_id = $1`, [id])
  expect((await world.guestsOf(brand)).body.guests[0]?.user_id).toBe(id)
})

test('GST-01: guests of another workspace are not told', async () => {
  const [mine, other] = [await world.newBrand(), await world.newBrand()]
  await world.giveBoard(other, await world.newGuest(other))
  expect((await world.guestsOf(mine)).body).toEqual({ guests: [], total: 0 })
})

test('GST-G2: guests come by name, whatever its case, and then by id', async () => {
  const brand = await world.newBrand()
  const made = []
  for (const name of ['Zoe', 'adam', 'Bert', 'Bert', 'Émile']) made.push(await world.newGuest(brand, name))
  const { body } = await world.guestsOf(brand)
  const told = body.guests.map(({ full_name, user_id }) => [full_name, user_id])
  expect(told).toEqual([
    ['adam', made[1]?.id],
    ['Bert', made[2]?.id],
    ['Bert', made[3]?.id],
    ['Émile', made[4]?.id],
    ['Zoe', made[0]?.id],
  ])
})

test('GST-G2: a workspace with a thousand accesses has all of its guests in one answer, and takes no more', async () => {
  const brand = await world.newBrand()
  const space_id = await world.newSpace(brand)
  await world.workspaces.sql(
    `with person as (
       insert into identity.people (email, full_name)
       select 'many-' || $1::int || '-' || n || '@example.test', 'Guest ' || n from generate_series(1, 1000) n returning id)
     insert into docs_spaces.guests (brand_id, space_id, person_id, role) select $1, $2, id, 'viewer' from person`,
    [brand.id, space_id],
  )
  const { body } = await world.guestsOf(brand)
  expect([body.total, body.guests.length]).toEqual([1000, 1000])
  const { email } = await world.newPerson('One too many', newEmail())
  const path = `/api/v1/docs/spaces/${space_id}/guests`
  expect(await world.call(brand.admin, 'POST', path, { email, role: 'viewer' })).toEqual({
    status: 409,
    body: { detail: 'A workspace can share docs spaces with guests at most 1000 times' },
  })
})

test('GST-02: a member may not see the guests', async () => {
  const brand = await world.newBrand()
  const { headers } = await world.newMember(brand)
  expect(await world.call(headers, 'GET', `/api/v1/brands/${brand.id}/guests`)).toEqual({
    status: 403,
    body: { detail: 'Brand admin access required' },
  })
})

test('GST-02: a token without brand:admin may not see the guests, and is told which scope it lacks', async () => {
  const brand = await world.newBrand()
  const token = await world.workspaces.newToken({ brand_id: brand.id, person_id: brand.admin_id }, [
    'brand:read',
  ])
  const headers = { authorization: `Bearer ${token}` }
  expect(await world.call(headers, 'GET', `/api/v1/brands/${brand.id}/guests`)).toEqual({
    status: 403,
    body: { detail: 'Token lacks scope brand:admin; the workspace policy allows it' },
  })
})

test('GST-02: an admin who was made a member is refused on the next request, with the same token', async () => {
  const brand = await world.newBrand()
  const member = await world.workspaces.join(brand.id, 'admin')
  const token = await world.workspaces.newToken(member, ['brand:read', 'brand:admin'])
  const look = () =>
    world.call({ authorization: `Bearer ${token}` }, 'GET', `/api/v1/brands/${brand.id}/guests`)
  expect((await look()).status).toBe(200)
  const path = `/api/v1/brands/${brand.id}/members/${member.person_id}`
  expect((await world.call(brand.admin, 'PATCH', path, { role: 'member' })).status).toBe(200)
  expect(await look()).toEqual({ status: 403, body: { detail: 'Brand admin access required' } })
})
