import { newEmail } from '@crewhall/testkit/people.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { expect, test } from 'vitest'
import { type Brand, useGuests } from '../workspaces/guests/guests-world.ts'

const world = useGuests(useSharedServer('product'))
const pathOf = (space_id: string) => `/api/v1/docs/spaces/${space_id}/guests`
const notFound = { status: 404, body: { detail: 'Guest not found' } }

interface SpaceGuest {
  readonly user_id: number
  readonly role: string
}
interface List {
  readonly guests: readonly SpaceGuest[]
  readonly next_after: number | null
}

async function newSpace() {
  const brand = await world.newBrand()
  const space_id = await world.newSpace(brand)
  return { brand, space_id, path: pathOf(space_id) }
}
const auditOf = async ({ id, admin }: Brand, action: string) =>
  (await world.call<{ items: unknown[] }>(admin, 'GET', `/api/v1/brands/${id}/audit?action=${action}`)).body
    .items

test('an admin lets a person in by their address, whatever its case', async () => {
  const { brand, path } = await newSpace()
  const person = await world.newPerson('Gus Guest')
  const added = await world.call<SpaceGuest>(brand.admin, 'POST', path, {
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
  const { brand, path } = await newSpace()
  expect(await world.call(brand.admin, 'POST', path, { email: newEmail(), role: 'viewer' })).toEqual({
    status: 404,
    body: { detail: 'Person not found' },
  })
})

test('GST-01: a member of the workspace cannot be made its guest', async () => {
  const { brand, path } = await newSpace()
  const member = await world.newMember(brand)
  const email = newEmail()
  await world.workspaces.sql('update identity.people set email = $2 where id = $1', [member.id, email])
  expect(await world.call(brand.admin, 'POST', path, { email, role: 'viewer' })).toEqual({
    status: 400,
    body: { detail: 'User is already a member of this brand' },
  })
})

test('a guest is let in once, also by two admins at once', async () => {
  const { brand, path } = await newSpace()
  const { email } = await world.newPerson()
  const add = () => world.call(brand.admin, 'POST', path, { email, role: 'viewer' })
  const answers = await Promise.all([add(), add()])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409])
  expect(await add()).toEqual({
    status: 409,
    body: { detail: 'This person is already a guest of this space' },
  })
})

test.each(['owner', '', null, undefined, 'Viewer'])('%j is no role of a guest', async (role) => {
  const { brand, path } = await newSpace()
  const { email } = await world.newPerson()
  expect((await world.call(brand.admin, 'POST', path, { email, role })).status).toBe(422)
})

test('an admin changes the role of a guest, and the audit tells from what to what', async () => {
  const { brand, space_id, path } = await newSpace()
  const person = await world.newPerson()
  await world.admit(brand, space_id, person)
  const changed = await world.call(brand.admin, 'PATCH', `${path}/${person.id}`, { role: 'editor' })
  expect(changed).toMatchObject({ status: 200, body: { user_id: person.id, role: 'editor' } })
  const again = await world.call(brand.admin, 'PATCH', `${path}/${person.id}`, { role: 'editor' })
  expect(again).toEqual(changed)
  // The second one changed nothing, so it tells nothing.
  expect(await auditOf(brand, 'docs_guest.changed')).toMatchObject([
    { target: `guest:${person.id}`, from: { space_id, role: 'viewer' }, to: { space_id, role: 'editor' } },
  ])
})

test('an admin ends the access to one space, and that to another stays', async () => {
  const { brand, space_id, path } = await newSpace()
  const guest = await world.newGuest(brand)
  await world.admit(brand, space_id, guest, 'editor')
  expect(await world.call(brand.admin, 'DELETE', `${path}/${guest.id}`)).toEqual({
    status: 200,
    body: { removed: true },
  })
  expect(await world.call(brand.admin, 'DELETE', `${path}/${guest.id}`)).toEqual(notFound)
  const [left] = (await world.guestsOf(brand)).body.guests
  expect(left?.access.map(({ resource_id }) => resource_id)).toEqual([guest.space_id])
  expect(await auditOf(brand, 'docs_guest.removed')).toMatchObject([
    { target: `guest:${guest.id}`, from: { space_id, role: 'editor' }, to: null },
  ])
  expect(await auditOf(brand, 'docs_guest.added')).toHaveLength(2)
})

test('guests of a space are listed by id, page by page, each once', async () => {
  const { brand, space_id, path } = await newSpace()
  const made: number[] = []
  for (let n = 0; n < 3; n += 1) {
    const person = await world.newPerson()
    await world.admit(brand, space_id, person)
    made.push(person.id)
  }
  const first = await world.call<List>(brand.admin, 'GET', `${path}?limit=2`)
  const rest = await world.call<List>(brand.admin, 'GET', `${path}?limit=2&after=${first.body.next_after}`)
  expect([...first.body.guests, ...rest.body.guests].map(({ user_id }) => user_id)).toEqual(made)
  expect(rest.body.next_after).toBeNull()
})

test('guests of a space of another workspace are missing, and stay as they are', async () => {
  const [mine, other] = [await newSpace(), await newSpace()]
  const person = await world.newPerson()
  await world.admit(other.brand, other.space_id, person)
  const spaceMissing = { status: 404, body: { detail: 'Space not found' } }
  const one = `${other.path}/${person.id}`
  expect(await world.call(mine.brand.admin, 'GET', other.path)).toEqual(spaceMissing)
  const { email } = person
  expect(await world.call(mine.brand.admin, 'POST', other.path, { email, role: 'viewer' })).toEqual(
    spaceMissing,
  )
  expect(await world.call(mine.brand.admin, 'PATCH', one, { role: 'editor' })).toEqual(notFound)
  expect(await world.call(mine.brand.admin, 'DELETE', one)).toEqual(notFound)
  expect(await world.call(other.brand.admin, 'GET', other.path)).toMatchObject({
    body: { guests: [{ user_id: person.id, role: 'viewer' }] },
  })
})

test('a member may neither see nor change the guests of a space', async () => {
  const { brand, space_id, path } = await newSpace()
  const person = await world.newPerson()
  await world.admit(brand, space_id, person)
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
