import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import type { Credential } from '@crewhall/testkit/world/call.ts'
import { expect, test } from 'vitest'
import { useGuests } from '../workspaces/guests/guests-world.ts'

const world = useGuests(useSharedServer('product'))
const path = '/api/v1/docs/spaces'
const notFound = { status: 404, body: { detail: 'Space not found' } }
const nowhere = '00000000-0000-4000-8000-000000000000'

interface Space {
  readonly id: string
  readonly name: string
  readonly updated_at: string
}
interface List {
  readonly spaces: readonly Space[]
  readonly next_after: string | null
}

test('a member makes a space, reads it, renames it and finds it in the list', async () => {
  const brand = await world.newBrand()
  const { headers } = await world.newMember(brand)
  const made = await world.call<Space>(headers, 'POST', path, { name: 'Handbook' })
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({ name: 'Handbook' })
  expect(made.body.id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  const one = `${path}/${made.body.id}`
  expect(await world.call(headers, 'GET', one)).toEqual({ status: 200, body: made.body })
  const renamed = await world.call<Space>(headers, 'PATCH', one, { name: 'Guide' })
  expect(renamed.body).toEqual({ ...made.body, name: 'Guide', updated_at: renamed.body.updated_at })
  expect(await world.call(headers, 'GET', path)).toEqual({
    status: 200,
    body: { spaces: [renamed.body], next_after: null },
  })
})

test('spaces are listed in the order they were made in, page by page, each once', async () => {
  const brand = await world.newBrand()
  const made: string[] = []
  for (let n = 0; n < 5; n += 1) made.push(await world.newSpace(brand, `Space ${n}`))
  const found: string[] = []
  let after = ''
  for (let pages = 0; pages < 3; pages += 1) {
    const { body } = await world.call<List>(brand.admin, 'GET', `${path}?limit=2${after}`)
    found.push(...body.spaces.map(({ id }) => id))
    after = `&after=${body.next_after}`
    expect(body.next_after === null).toBe(pages === 2)
  }
  expect(found).toEqual(made)
})

test('a page of the list holds 50 spaces unless asked otherwise, and never more than 100', async () => {
  const brand = await world.newBrand()
  await world.workspaces.sql(
    `insert into docs_spaces.spaces (brand_id, id, name)
     select $1, gen_random_uuid(), 'Space ' || n from generate_series(1, 120) n`,
    [brand.id],
  )
  const length = async (query: string) =>
    (await world.call<List>(brand.admin, 'GET', `${path}${query}`)).body.spaces.length
  expect([await length(''), await length('?limit=100')]).toEqual([50, 100])
  expect(await world.call(brand.admin, 'GET', `${path}?limit=101`)).toEqual({
    status: 422,
    body: { detail: 'limit: must be a whole number from 1 to 100' },
  })
})

test('a workspace has at most 500 spaces', async () => {
  const brand = await world.newBrand()
  await world.workspaces.sql(
    `insert into docs_spaces.spaces (brand_id, id, name)
     select $1, gen_random_uuid(), 'Space ' || n from generate_series(1, 499) n`,
    [brand.id],
  )
  expect((await world.call(brand.admin, 'POST', path, { name: 'The last' })).status).toBe(201)
  expect(await world.call(brand.admin, 'POST', path, { name: 'One more' })).toEqual({
    status: 409,
    body: { detail: 'A workspace has at most 500 docs spaces' },
  })
})

test('a name has 1 to 100 characters', async () => {
  const brand = await world.newBrand()
  const named = async (name: unknown) => (await world.call(brand.admin, 'POST', path, { name })).status
  expect([await named('😀'.repeat(100)), await named('x')]).toEqual([201, 201])
  for (const name of ['', 'x'.repeat(101), 7, null, undefined])
    expect([name, await named(name)]).toEqual([name, 422])
})

test('a space of another workspace is missing: it cannot be read, renamed or deleted', async () => {
  const [mine, other] = [await world.newBrand(), await world.newBrand()]
  const foreign = `${path}/${await world.newSpace(other, 'Theirs')}`
  for (const [method, body] of [['GET'], ['PATCH', { name: 'Mine' }], ['DELETE']] as const) {
    expect(await world.call(mine.admin, method, foreign, body)).toEqual(notFound)
    expect(await world.call(mine.admin, method, `${path}/${nowhere}`, body)).toEqual(notFound)
    expect(await world.call(mine.admin, method, `${path}/nothing`, body)).toEqual(notFound)
  }
  expect(await world.call(other.admin, 'GET', foreign)).toMatchObject({
    status: 200,
    body: { name: 'Theirs' },
  })
})

test('an admin deletes a space with its pages, its guests lose it, and the audit tells of it', async () => {
  const brand = await world.newBrand()
  const guest = await world.newGuest(brand)
  const one = `${path}/${guest.space_id}`
  await world.call(brand.admin, 'POST', `${one}/pages`, { title: 'A', body: '' })
  expect(await world.call(brand.admin, 'DELETE', one)).toEqual({ status: 200, body: { deleted: true } })
  expect(await world.call(brand.admin, 'GET', one)).toEqual(notFound)
  expect((await world.guestsOf(brand)).body.total).toBe(0)
  const rows = await world.workspaces.sql('select 1 from docs_spaces.pages where space_id = $1', [
    guest.space_id,
  ])
  expect(rows).toEqual([])
  const audit = await world.call<{ items: unknown[] }>(
    brand.admin,
    'GET',
    `/api/v1/brands/${brand.id}/audit?action=docs_space.deleted`,
  )
  expect(audit.body.items).toMatchObject([
    {
      target: `docs_space:${guest.space_id}`,
      from: { name: 'Handbook' },
      actor: { user_id: brand.admin_id },
    },
  ])
})

test('a member may not delete a space', async () => {
  const brand = await world.newBrand()
  const { headers } = await world.newMember(brand)
  const one = `${path}/${await world.newSpace(brand)}`
  expect(await world.call(headers, 'DELETE', one)).toEqual({
    status: 403,
    body: { detail: 'Brand admin access required' },
  })
  expect((await world.call(headers, 'GET', one)).status).toBe(200)
})

test('somebody of two workspaces sees the spaces of one: that of the token, or that of the session', async () => {
  const [one, two] = [await world.newBrand(), await world.newBrand()]
  const ids = [await world.newSpace(one), await world.newSpace(two)]
  const member = await world.workspaces.join(one.id, 'member')
  const other = await world.workspaces.join(two.id, 'member', member.person_id)
  const seen = async (by: Credential) =>
    (await world.call<List>(by, 'GET', path)).body.spaces.map(({ id }) => id)
  for (const [at, { brand_id, person_id }] of [member, other].entries()) {
    const token = await world.workspaces.newToken({ brand_id, person_id })
    const cookie = await world.workspaces.newCookie(person_id, brand_id)
    expect(await seen({ token })).toEqual([ids[at]])
    expect(await seen({ cookie })).toEqual([ids[at]])
    const foreign = await world.call({ cookie }, 'GET', `${path}/${ids[1 - at]}`)
    expect(foreign).toEqual(notFound)
  }
})
