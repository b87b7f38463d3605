import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { Credential } from '@crewhall/testkit/world/call.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  attached,
  type IndexHome,
  indexNow,
  newRepository,
  openIndexHome,
  smallSources,
} from '../code-index/index-world.ts'
import { ProjectWorkspace } from '../code-index/project-world.ts'
import { MemoryWorkspace, nowhere } from './memory-world.ts'

const server = useServer('product')
let home: IndexHome
let memory: MemoryWorkspace
let code: ProjectWorkspace
let reader: Credential
let twice: ReturnType<typeof newRepository>

beforeAll(async () => {
  home = await openIndexHome()
  const api = await server.start('api', home.env)
  await server.start('worker', home.env)
  const here = {
    sql: server.sql,
    get: (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init),
  }
  memory = await MemoryWorkspace.open(here)
  const { world, brand_id } = memory
  const admin = {
    token: await world.newToken(await world.join(brand_id, 'admin'), ['brand:admin', 'code:read']),
  }
  code = new ProjectWorkspace(here, { brand_id, admin, reader: admin })
  reader = { token: await memory.tokenWith('memory:read', 'code:read') }
})
afterAll(() => home.close())

interface Link {
  readonly mention: string
  readonly project_id: string
  readonly node_id: string
  readonly kind: string
  readonly place: string
  readonly removed_in: string | null
}
interface Linked {
  readonly links: readonly Link[]
  readonly is_pending: boolean
}
const remember = async (body: string, title = 'Something') => {
  const made = await memory.call<{ id: string }>('POST', '/memories', {
    agent_id: memory.agent,
    kind: 'learning',
    title,
    body,
  })
  return made.body.id
}
const linksOf = async (id: string) =>
  (await memory.call<Linked>('GET', `/memories/${id}/code`, undefined, reader)).body
const settled = (id: string) =>
  waitFor(async () => {
    const now = await linksOf(id)
    return !now.is_pending && now
  }, 60_000)
const shown = ({ links }: Linked) =>
  links.map(({ mention, place, removed_in }) => [mention, place, removed_in])
const linkedTo = (id: string, places: readonly string[]) =>
  waitFor(async () => {
    const { links } = await linksOf(id)
    return JSON.stringify(links.map(({ place }) => place)) === JSON.stringify(places)
  }, 60_000)

test('a memory that names code is linked to it, and the link follows its code to the end and back', async () => {
  const before = await remember('Call `Store.find` of src/store.ts, never main of the shell')
  expect(await settled(before)).toEqual({ links: [], is_pending: false })
  const repository = newRepository(home, 'linked.git')
  repository.commit(smallSources)
  repository.push()
  const project_id = await attached(code, `${home.git.url}/linked.git`)
  await indexNow(code, project_id)
  // What was there before the first index is found when that becomes visible.
  await linkedTo(before, ['src/store.ts#Store.find', 'src/store.ts'])
  const after = await remember('See src/main.ts#main, `Store`, src/, and `nothing/here.ts`.')
  expect(shown(await settled(after))).toEqual([
    ['Store', 'src/store.ts#Store', null],
    ['src/', 'src/', null],
    ['src/main.ts#main', 'src/main.ts#main', null],
  ])
  const [first] = (await linksOf(before)).links
  expect(first).toMatchObject({ project_id, kind: 'symbol' })

  repository.move('src/store.ts', 'lib/store.ts')
  repository.commit({ 'src/main.ts': smallSources['src/main.ts'].replace('./store.ts', '../lib/store.ts') })
  repository.push()
  await indexNow(code, project_id)
  expect((await linksOf(before)).links.map(({ place, node_id }) => [place, node_id])).toEqual([
    ['lib/store.ts#Store.find', first?.node_id],
    ['lib/store.ts', expect.any(String)],
  ])

  const commit = repository.commit({ 'lib/store.ts': null })
  repository.push()
  await indexNow(code, project_id)
  // With the index, and not some time after it.
  expect(shown(await linksOf(before))).toEqual([
    ['Store.find', 'lib/store.ts#Store.find', commit],
    ['src/store.ts', 'lib/store.ts', commit],
  ])
  repository.git('revert', '--no-edit', 'HEAD')
  repository.push()
  await indexNow(code, project_id)
  expect((await linksOf(before)).links.map(({ removed_in }) => removed_in)).toEqual([null, null])

  // A text that changes has the links of the new one.
  await memory.call('PATCH', `/memories/${before}`, { body: 'See README.md' })
  await linkedTo(before, ['README.md'])
})

test('what is two things is linked to neither', async () => {
  twice = newRepository(home, 'twice.git')
  twice.commit({
    'a.ts': 'export class Same {}\n',
    'b.ts': 'export class Same {}\nexport class Once {}\n',
  })
  twice.push()
  await indexNow(code, await attached(code, `${home.git.url}/twice.git`))
  const id = await remember('`Same`, `Once` and README.md')
  const places = (await settled(id)).links.map(({ place }) => place)
  expect(places).toContain('b.ts#Once')
  expect(places).not.toContain('a.ts#Same')
  expect(places).not.toContain('b.ts#Same')
})

test('a memory becomes a lesson file with its code as anchors, and nothing is written', async () => {
  const id = await remember('Use `Once`.\nNever `Same`.', 'Prefer Once: "always"')
  await linkedTo(id, ['b.ts#Once'])
  const promote = (body: object) =>
    memory.call<{ path: string; text: string; project_id: string }>(
      'POST',
      `/memories/${id}/lesson-file`,
      body,
      reader,
    )
  const { status, body } = await promote({ area: 'naming' })
  expect(status).toBe(200)
  expect(body.path).toBe('lessons/naming/prefer-once-always.md')
  expect(body.text).toBe(
    '---\ntype: gotcha\ntitle: "Prefer Once: \\"always\\""\nanchors:\n  - "b.ts#Once"\nauthor: "build-bot"\n---\n\nUse `Once`.\nNever `Same`.\n',
  )
  expect((await promote({})).body.path).toBe('lessons/general/prefer-once-always.md')
  for (const wrong of [{ area: '../x' }, { area: 'A' }, { slug: 'a/b' }, { type: 'two words' }])
    expect((await promote(wrong)).status).toBe(422)
  // Its owner commits it, and it is a lesson.
  twice.commit({ [body.path]: body.text })
  twice.push()
  await indexNow(code, body.project_id)
  const lessons = await server.sql(
    'select slug, type, title, author, body from lessons.lessons where project_id = $1',
    [body.project_id],
  )
  expect(lessons).toEqual([
    {
      slug: 'naming/prefer-once-always',
      type: 'gotcha',
      title: 'Prefer Once: "always"',
      author: 'build-bot',
      body: 'Use `Once`.\nNever `Same`.',
    },
  ])
  const none = await remember('Names nothing')
  await settled(none)
  expect(await memory.call('POST', `/memories/${none}/lesson-file`, {}, reader)).toEqual({
    status: 409,
    body: { detail: 'The memory names no code that is in an index now' },
  })
})

test('both scopes are needed, and a memory of another workspace is as one that is missing', async () => {
  const id = await remember('Anything')
  for (const scope of ['memory:read', 'code:read']) {
    const by = { token: await memory.tokenWith(scope) }
    expect((await memory.call('GET', `/memories/${id}/code`, undefined, by)).status).toBe(403)
    expect((await memory.call('POST', `/memories/${id}/lesson-file`, {}, by)).status).toBe(403)
  }
  const other = await MemoryWorkspace.open(server)
  const stranger = { token: await other.tokenWith('memory:read', 'code:read') }
  for (const [of, by] of [
    [id, stranger],
    [nowhere, reader],
  ] as const) {
    expect((await memory.call('GET', `/memories/${of}/code`, undefined, by)).status).toBe(404)
    expect((await memory.call('POST', `/memories/${of}/lesson-file`, {}, by)).status).toBe(404)
  }
})
