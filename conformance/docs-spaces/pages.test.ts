import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { expect, test } from 'vitest'
import { type Brand, useGuests } from '../workspaces/guests/guests-world.ts'

const world = useGuests(useSharedServer('product'))
const notFound = { status: 404, body: { detail: 'Page not found' } }
const nowhere = '00000000-0000-4000-8000-000000000000'

interface Page {
  readonly id: string
  readonly title: string
  readonly body: string
  readonly version: number
  readonly updated_at: string
}
interface List {
  readonly pages: readonly Page[]
  readonly next_after: string | null
}

async function newSpace() {
  const brand = await world.newBrand()
  return { brand, path: `/api/v1/docs/spaces/${await world.newSpace(brand)}/pages` }
}
const write = async ({ admin }: Brand, path: string, page: object = { title: 'Start', body: '# Hello' }) =>
  (await world.call<Page>(admin, 'POST', path, page)).body

test('a page keeps its Markdown as it was written, and who wrote it', async () => {
  const { brand, path } = await newSpace()
  const { id, headers } = await world.newMember(brand)
  const body = '# Title\r\n\r\n<script>alert(1)</script>\n\n| a | b |\n\t\u2028😀'
  const made = await world.call<Page>(headers, 'POST', path, { title: 'Start', body })
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({
    title: 'Start',
    body,
    version: 1,
    author: { user_id: id, name: 'Ann Example' },
  })
  expect(await world.call(brand.admin, 'GET', `${path}/${made.body.id}`)).toEqual({
    status: 200,
    body: made.body,
  })
})

test('a list tells everything of a page but its body', async () => {
  const { brand, path } = await newSpace()
  const { body: _, ...entry } = await write(brand, path)
  expect(await world.call(brand.admin, 'GET', path)).toEqual({
    status: 200,
    body: { pages: [entry], next_after: null },
  })
})

test('pages are listed in the order they were made in, page by page, each once', async () => {
  const { brand, path } = await newSpace()
  const made: string[] = []
  for (let n = 0; n < 3; n += 1) made.push((await write(brand, path, { title: `P${n}`, body: '' })).id)
  const first = await world.call<List>(brand.admin, 'GET', `${path}?limit=2`)
  const rest = await world.call<List>(brand.admin, 'GET', `${path}?limit=2&after=${first.body.next_after}`)
  expect([...first.body.pages, ...rest.body.pages].map(({ id }) => id)).toEqual(made)
  expect([first.body.next_after, rest.body.next_after]).toEqual([made[1], null])
})

test('a change of the title leaves the body, and the other way round', async () => {
  const { brand, path } = await newSpace()
  const page = await write(brand, path)
  const change = async (body: object) =>
    (await world.call<Page>(brand.admin, 'PATCH', `${path}/${page.id}`, body)).body
  const titled = await change({ title: 'New' })
  expect(titled).toEqual({ ...page, title: 'New', version: 2, updated_at: titled.updated_at })
  const filled = await change({ body: '' })
  expect(filled).toEqual({ ...titled, body: '', version: 3, updated_at: filled.updated_at })
})

test('a change of a version that is not the newest is refused and writes nothing', async () => {
  const { brand, path } = await newSpace()
  const page = await write(brand, path)
  const one = `${path}/${page.id}`
  const change = (body: string) => world.call(brand.admin, 'PATCH', one, { body, if_version: 1 })
  const answers = await Promise.all([change('mine'), change('yours')])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(answers.find(({ status }) => status === 409)?.body).toEqual({
    detail: 'This page has changed in the meantime',
  })
  const kept = answers.find(({ status }) => status === 200)?.body
  expect((await world.call(brand.admin, 'GET', one)).body).toEqual(kept)
})

test('a change without anything to change is refused', async () => {
  const { brand, path } = await newSpace()
  const page = await write(brand, path)
  expect(await world.call(brand.admin, 'PATCH', `${path}/${page.id}`, { if_version: 1 })).toEqual({
    status: 422,
    body: { detail: 'body: needs a title or a body' },
  })
})

test('a title has 1 to 200 characters and a body at most 100,000', async () => {
  const { brand, path } = await newSpace()
  const status = async (page: object) => (await world.call(brand.admin, 'POST', path, page)).status
  expect(await status({ title: 'x'.repeat(200), body: 'é'.repeat(100_000) })).toBe(201)
  for (const page of [
    { title: '', body: '' },
    { title: 'x'.repeat(201), body: '' },
    { title: 'x', body: 'x'.repeat(100_001) },
    { title: 'x' },
    { body: 'x' },
  ])
    expect(await status(page)).toBe(422)
})

test('a page is deleted once', async () => {
  const { brand, path } = await newSpace()
  const one = `${path}/${(await write(brand, path)).id}`
  expect(await world.call(brand.admin, 'DELETE', one)).toEqual({ status: 200, body: { deleted: true } })
  for (const method of ['GET', 'DELETE']) expect(await world.call(brand.admin, method, one)).toEqual(notFound)
})

test('a page of another workspace, of another space and of nowhere are one answer', async () => {
  const [mine, other] = [await newSpace(), await newSpace()]
  const page = await write(other.brand, other.path)
  const sibling = `/api/v1/docs/spaces/${await world.newSpace(other.brand)}/pages/${page.id}`
  for (const [method, body] of [['GET'], ['PATCH', { title: 'Mine' }], ['DELETE']] as const) {
    for (const one of [`${other.path}/${page.id}`, `${mine.path}/${page.id}`, `${mine.path}/${nowhere}`]) {
      expect(await world.call(mine.brand.admin, method, one, body)).toEqual(notFound)
    }
    expect(await world.call(other.brand.admin, method, sibling, body)).toEqual(notFound)
  }
  expect((await world.call(other.brand.admin, 'GET', `${other.path}/${page.id}`)).body).toEqual(page)
})

test('pages of a space of another workspace can be neither listed nor written', async () => {
  const [mine, other] = [await newSpace(), await newSpace()]
  const refused = { status: 404, body: { detail: 'Space not found' } }
  expect(await world.call(mine.brand.admin, 'GET', other.path)).toEqual(refused)
  expect(await world.call(mine.brand.admin, 'POST', other.path, { title: 'x', body: '' })).toEqual(refused)
})

test('a space has at most 2,000 pages, also for two who write the last one at once', async () => {
  const { brand, path } = await newSpace()
  await world.workspaces.sql(
    `insert into docs_spaces.pages (brand_id, space_id, id, title, body, author_id, author_name)
     select brand_id, id, gen_random_uuid(), 'P', '', 1, 'A' from docs_spaces.spaces, generate_series(1, 1999)
     where brand_id = $1`,
    [brand.id],
  )
  const page = { title: 'The last', body: '' }
  const answers = await Promise.all([1, 2, 3].map(() => world.call(brand.admin, 'POST', path, page)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  expect(answers.find(({ status }) => status === 409)?.body).toEqual({
    detail: 'A docs space has at most 2000 pages',
  })
})
