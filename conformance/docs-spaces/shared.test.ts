import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { expect, test } from 'vitest'
import { useGuests } from '../workspaces/guests/guests-world.ts'

const world = useGuests(useSharedServer('product'))
const shared = '/api/v1/docs/shared'
const spaceMissing = { status: 404, body: { detail: 'Space not found' } }
const pageMissing = { status: 404, body: { detail: 'Page not found' } }
const nowhere = '00000000-0000-4000-8000-000000000000'

interface List {
  readonly spaces: readonly { readonly id: string }[]
  readonly next_after: string | null
}

/** A space with one page, and a guest of it with a session. */
async function sharedSpace(role: string) {
  const brand = await world.newBrand()
  const space_id = await world.newSpace(brand)
  const guest = await world.newPerson('Gus Guest')
  await world.admit(brand, space_id, guest, role)
  const page = await world.call<{ id: string }>(
    brand.admin,
    'POST',
    `/api/v1/docs/spaces/${space_id}/pages`,
    {
      title: 'Start',
      body: '# Hello',
    },
  )
  return { brand, space_id, guest, page: page.body, session: await world.sessionOf(guest) }
}

test('a guest sees what is shared with them over all workspaces, and nothing else', async () => {
  const [one, two] = [await world.newBrand(), await world.newBrand()]
  const guest = await world.newPerson()
  const ids = [await world.newSpace(one, 'Of one'), await world.newSpace(two, 'Of two')]
  await world.newSpace(one, 'Not shared')
  await world.admit(one, ids[0] ?? '', guest, 'viewer')
  await world.admit(two, ids[1] ?? '', guest, 'editor')
  expect(await world.call(await world.sessionOf(guest), 'GET', shared)).toMatchObject({
    status: 200,
    body: {
      spaces: [
        { id: ids[0], brand_id: one.id, name: 'Of one', role: 'viewer' },
        { id: ids[1], brand_id: two.id, name: 'Of two', role: 'editor' },
      ],
      next_after: null,
    },
  })
})

test('the list of shared spaces comes page by page, each once', async () => {
  const brand = await world.newBrand()
  const guest = await world.newPerson()
  const made: string[] = []
  for (let n = 0; n < 3; n += 1) {
    made.push(await world.newSpace(brand))
    await world.admit(brand, made[n] ?? '', guest)
  }
  const session = await world.sessionOf(guest)
  const first = await world.call<List>(session, 'GET', `${shared}?limit=2`)
  const rest = await world.call<List>(session, 'GET', `${shared}?limit=2&after=${first.body.next_after}`)
  expect([...first.body.spaces, ...rest.body.spaces].map(({ id }) => id)).toEqual(made)
})

test.each(['viewer', 'commenter', 'editor'])(
  'a guest who is %s reads the space and its pages',
  async (role) => {
    const { space_id, page, session } = await sharedSpace(role)
    const space = await world.call(session, 'GET', `${shared}/${space_id}`)
    expect(space).toMatchObject({ status: 200, body: { id: space_id, role } })
    const { status, body } = await world.call<{ pages: { id: string }[] }>(
      session,
      'GET',
      `${shared}/${space_id}/pages`,
    )
    expect([status, body.pages.map(({ id }) => id)]).toEqual([200, [page.id]])
    expect(await world.call(session, 'GET', `${shared}/${space_id}/pages/${page.id}`)).toEqual({
      status: 200,
      body: page,
    })
  },
)

test('an editor writes pages that carry their name, and changes those of others without taking them', async () => {
  const { brand, space_id, guest, page, session } = await sharedSpace('editor')
  const made = await world.call(session, 'POST', `${shared}/${space_id}/pages`, { title: 'Mine', body: 'x' })
  expect(made).toMatchObject({ status: 201, body: { author: { user_id: guest.id, name: 'Gus Guest' } } })
  const changed = await world.call(session, 'PATCH', `${shared}/${space_id}/pages/${page.id}`, { body: 'y' })
  expect(changed).toMatchObject({
    status: 200,
    body: { id: page.id, body: 'y', version: 2, author: { user_id: brand.admin_id } },
  })
  expect(await world.call(brand.admin, 'GET', `/api/v1/docs/spaces/${space_id}/pages/${page.id}`)).toEqual(
    changed,
  )
})

test.each(['viewer', 'commenter'])('a guest who is %s writes nothing', async (role) => {
  const { space_id, page, session } = await sharedSpace(role)
  const refused = { status: 403, body: { detail: 'Editor access required' } }
  const pages = `${shared}/${space_id}/pages`
  expect(await world.call(session, 'POST', pages, { title: 'Mine', body: '' })).toEqual(refused)
  expect(await world.call(session, 'PATCH', `${pages}/${page.id}`, { body: 'y' })).toEqual(refused)
  expect((await world.call(session, 'GET', `${pages}/${page.id}`)).body).toEqual(page)
})

test('a role that was taken away is gone on the next request', async () => {
  const { brand, space_id, guest, session } = await sharedSpace('editor')
  const write = () => world.call(session, 'POST', `${shared}/${space_id}/pages`, { title: 'Mine', body: '' })
  const of = `/api/v1/docs/spaces/${space_id}/guests/${guest.id}`
  expect((await write()).status).toBe(201)
  await world.call(brand.admin, 'PATCH', of, { role: 'viewer' })
  expect((await write()).status).toBe(403)
  await world.call(brand.admin, 'DELETE', of)
  expect(await write()).toEqual(spaceMissing)
})

test('what is not shared with the caller is missing, also for an admin of the workspace it belongs to', async () => {
  const { brand, space_id, page } = await sharedSpace('viewer')
  const stranger = await world.sessionOf(await world.newPerson())
  const admin = { cookie: await world.workspaces.newCookie(brand.admin_id, brand.id) }
  for (const session of [stranger, admin]) {
    for (const id of [space_id, nowhere, 'nothing']) {
      expect(await world.call(session, 'GET', `${shared}/${id}`)).toEqual(spaceMissing)
      expect(await world.call(session, 'GET', `${shared}/${id}/pages`)).toEqual(spaceMissing)
      expect(await world.call(session, 'GET', `${shared}/${id}/pages/${page.id}`)).toEqual(pageMissing)
    }
  }
})

test('a page of a space that is not shared cannot be read through one that is', async () => {
  const { brand, space_id, session } = await sharedSpace('editor')
  const secret = await world.newSpace(brand)
  const { body } = await world.call<{ id: string }>(
    brand.admin,
    'POST',
    `/api/v1/docs/spaces/${secret}/pages`,
    {
      title: 'Secret',
      body: 'x',
    },
  )
  const through = `${shared}/${space_id}/pages/${body.id}`
  expect(await world.call(session, 'GET', through)).toEqual(pageMissing)
  expect(await world.call(session, 'PATCH', through, { body: 'y' })).toEqual(pageMissing)
})

test('a token reaches no space of another workspace, because it acts for one workspace', async () => {
  const [home, other] = [await world.newBrand(), await world.newBrand()]
  const member = await world.newMember(home)
  const [row] = await world.workspaces.sql<{ email: string }>(
    'select email from identity.people where id = $1',
    [member.id],
  )
  const space_id = await world.newSpace(other)
  await world.admit(other, space_id, { id: member.id, email: row?.email ?? '' }, 'editor')
  for (const path of [shared, `${shared}/${space_id}`, `${shared}/${space_id}/pages`]) {
    expect((await world.call(member.headers, 'GET', path)).status).toBe(401)
  }
})

test('a guest of a space has no way in through the routes of members', async () => {
  const { space_id, session } = await sharedSpace('editor')
  for (const path of ['/api/v1/docs/spaces', `/api/v1/docs/spaces/${space_id}`]) {
    expect((await world.call(session, 'GET', path)).status).toBe(403)
  }
})
