import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import type pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { idsOf, type Near, nowhere, ReadingWorkspace } from './reading-world.ts'

const server = useSharedServer('product')
let admin: pg.Client
let work: ReadingWorkspace
beforeAll(async () => {
  admin = await server.connection('superuser')
  work = await ReadingWorkspace.open(server, admin)
})

const imports = (from: string, to: string) => ({ kind: 'import', from, to }) as const

/** `main.ts` imports `store.ts`, which imports the symbol `find` of `base.ts`; `call.ts` calls `find`. */
async function chain() {
  const project = await work.indexed(
    ['src/main.ts#run', 'src/store.ts', 'lib/base.ts#find', 'lib/call.ts#go'],
    [
      imports('src/main.ts', 'src/store.ts'),
      { kind: 'symbol_import', from: 'src/store.ts', to: 'lib/base.ts#find' },
      { kind: 'call', from: 'lib/call.ts#go', to: 'lib/base.ts#find' },
    ],
  )
  await work.lesson(project.id, 'engine/run', { anchors: ['src/main.ts#run'] })
  await work.lesson(project.id, 'engine/store', { anchors: ['src/store.ts'], type: 'gotcha', body: 'Look.' })
  await work.lesson(project.id, 'engine/find', { anchors: ['lib/base.ts#find'] })
  await work.lesson(project.id, 'engine/go', { anchors: ['lib/call.ts#go'] })
  return project
}

test('LES-09 LES-30 LES-31 LES-32 LES-33 LES-34 LES-35 LES-36 LES-45: lessons come by hops, each with the way to its node', async () => {
  const project = await chain()
  const { status, body } = await work.near(project.id, { paths: ['src/main.ts'] })
  expect(status).toBe(200)
  expect(Object.keys(body).sort()).toEqual(['damped', 'degraded', 'entries', 'reached_nodes', 'truncated'])
  expect(body).toMatchObject({ damped: [], truncated: false, degraded: null })
  expect(body.entries.map(({ id, hops }) => [id, hops])).toEqual([
    ['engine/run', 0],
    ['engine/store', 1],
    ['engine/find', 2],
  ])
  expect(body.entries[1]).toEqual({
    id: 'engine/store',
    path: 'lessons/engine/store.md',
    type: 'gotcha',
    body: 'Look.',
    pinned: false,
    stale: false,
    stale_reason: null,
    hops: 1,
    via_node_id: project.node('src/store.ts'),
    path_to: [
      { node_id: project.node('src/main.ts'), path: 'src/main.ts', edge: null },
      { node_id: project.node('src/store.ts'), path: 'src/store.ts', edge: 'import' },
    ],
  })
  expect(body.entries[2]?.path_to.map(({ path, edge }) => [path, edge])).toEqual([
    ['src/main.ts', null],
    ['src/store.ts', 'import'],
    ['lib/base.ts#find', 'symbol_import'],
  ])
  // main.ts, run, src/ and store.ts, then the root and find.
  expect(body.reached_nodes).toBe(6)
  // What is under the start is told with the start itself.
  expect(body.entries[0]).toMatchObject({
    via_node_id: project.node('src/main.ts'),
    path_to: [{ edge: null }],
  })
})

test('LES-09: the colon of the path is the same when it is encoded', async () => {
  const project = await chain()
  const query = { project_id: project.id, paths: ['src/main.ts'] }
  const plain = await work.call<Near>('POST', '/memory/entries:near', query)
  const encoded = await work.call<Near>('POST', '/memory/entries%3Anear', query)
  expect(encoded.status).toBe(200)
  expect(encoded.body).toEqual(plain.body)
  expect((await work.call('POST', '/memory/entries%3anear', query)).body).toEqual(plain.body)
})

test('LES-08: the reads of lessons are JSON, whatever format is asked for', async () => {
  const project = await chain()
  const plain = await work.near(project.id, { paths: ['src/main.ts'] })
  for (const format of ['yaml', 'md', 'nothing']) {
    const query = { project_id: project.id, paths: ['src/main.ts'] }
    const told = await work.call<Near>('POST', `/memory/entries:near?format=${format}`, query)
    expect([told.status, told.body]).toEqual([200, plain.body])
    expect(told.headers.get('content-type')).toContain('application/json')
  }
})

test('AUTH-24: either scope alone is refused, and what is missing is named, also both at once', async () => {
  const project = await chain()
  const by = async (...scopes: string[]) => ({ token: await work.world.newToken(work, scopes) })
  const call = async (...scopes: string[]) =>
    work.near(project.id, { paths: ['src/main.ts'] }, await by(...scopes))
  const [memory, code, none] = [await call('memory:read'), await call('code:read'), await call('tasks:read')]
  expect([memory.status, code.status, none.status]).toEqual([403, 403, 403])
  expect(memory.body.detail).toContain('code:read')
  expect(memory.body.detail).not.toContain('memory:read')
  expect(code.body.detail).toContain('memory:read')
  expect(code.body.detail).not.toContain('code:read')
  expect(none.body.detail).toMatch(/memory:read.*code:read/)
  expect((await call('memory:read', 'code:read')).status).toBe(200)
})

test('LES-10 LES-11: a project that is missing, of another workspace or without a repository is one 404', async () => {
  const other = await ReadingWorkspace.open(server, admin)
  const foreign = await other.indexed(['a.ts'])
  const bare = await work.newProject({ is_attached: false })
  const told = await Promise.all([nowhere, foreign.id, bare].map((id) => work.near(id, { paths: ['a.ts'] })))
  expect(told.map(({ status, body }) => [status, body])).toEqual(
    told.map(() => [404, { detail: 'Project not found' }]),
  )
  expect((await work.call('POST', '/memory/entries:near', { paths: ['a.ts'] })).status).toBe(422)
  expect((await work.near('engine', { paths: ['a.ts'] })).status).toBe(422)
})

describe('what is refused with 422', () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => `src/f${n}.ts`)
  const ids = (count: number) => Array.from({ length: count }, () => nowhere)
  test.each<[string, object]>([
    ['LES-16 no start', {}],
    ['LES-16 empty lists', { paths: [], node_ids: [] }],
    ['LES-16 51 paths', { paths: many(51) }],
    ['LES-16 51 ids', { node_ids: ids(51) }],
    ['LES-16 25 paths and 26 ids', { paths: many(25), node_ids: ids(26) }],
    ['LES-27 depth 4', { paths: ['a.ts'], depth: 4 }],
    ['LES-27 depth -1', { paths: ['a.ts'], depth: -1 }],
    ['LES-27 depth 1.5', { paths: ['a.ts'], depth: 1.5 }],
    ['LES-27 hub_cap 0', { paths: ['a.ts'], hub_cap: 0 }],
    ['LES-27 hub_cap 201', { paths: ['a.ts'], hub_cap: 201 }],
    ['LES-27 limit 0', { paths: ['a.ts'], limit: 0 }],
    ['LES-27 limit 101', { paths: ['a.ts'], limit: 101 }],
    ['LES-G4 LES-35 a kind of answers only', { paths: ['a.ts'], kinds: ['symbol_import'] }],
    ['LES-27 direction', { paths: ['a.ts'], direction: 'up' }],
    ['LES-28 an unknown field', { paths: ['a.ts'], path: 'a.ts' }],
    ['LES-14 an id that is no UUID', { node_ids: ['a.ts'] }],
    ['LES-29 LES-G6 an empty anchor', { paths: [''] }],
    ['LES-29 LES-G6 an absolute one', { paths: ['/etc/passwd'] }],
    ['LES-29 LES-G6 one that climbs', { paths: ['src/../../a.ts'] }],
    ['LES-29 LES-G6 a backslash', { paths: ['src\\a.ts'] }],
    ['LES-29 LES-G6 NUL', { paths: ['src/a\0.ts'] }],
    ['LES-29 LES-G6 no symbol', { paths: ['src/a.ts#'] }],
    ['LES-13 LES-29 one invalid anchor among good ones', { paths: ['src/a.ts', '#'] }],
  ])('%s', async (_, query) => {
    const project = await shared()
    expect((await work.near(project, query)).status).toBe(422)
  })
  let made: Promise<string> | undefined
  const shared = () => {
    made ??= work.indexed(['src/a.ts']).then(({ id }) => id)
    return made
  }
  test('LES-15 LES-17 LES-22 LES-26: the bounds themselves pass', async () => {
    const project = await shared()
    for (const query of [
      { paths: many(25), node_ids: ids(25) },
      { paths: ['src/a.ts'], depth: 0, hub_cap: 1, limit: 1 },
      { paths: ['src/a.ts'], depth: 3, hub_cap: 200, limit: 100 },
    ])
      expect((await work.near(project, query)).status).toBe(200)
  })
})

test('LES-12 LES-13 LES-14 LES-37 LES-G3: starts by path, symbol, folder and id; what is no live code is skipped', async () => {
  const project = await chain()
  const other = await work.indexed(['src/main.ts'])
  const none = { paths: ['src/gone.ts', 'src/main.ts#gone'], node_ids: [nowhere, other.node('src/main.ts')] }
  expect((await work.near(project.id, none)).body).toMatchObject({ entries: [], reached_nodes: 0 })
  const some = { paths: ['src/gone.ts', 'lib/base.ts#find'], node_ids: [project.node('src/store.ts')] }
  const { body } = await work.near(project.id, { ...some, depth: 0 })
  expect(body.reached_nodes).toBe(2)
  expect(idsOf(body.entries)).toEqual(['engine/find', 'engine/store'])
  // Sent twice, it counts among the starts that may be sent, and is one node.
  const twice = { paths: ['src/main.ts', 'src/main.ts'], node_ids: [project.node('src/main.ts')], depth: 0 }
  expect((await work.near(project.id, twice)).body.reached_nodes).toBe(1)
  const folder = await work.near(project.id, { paths: ['lib/'], depth: 0 })
  expect(idsOf(folder.body.entries)).toEqual(['engine/find', 'engine/go'])
})

test('LES-18 LES-43 LES-44: a start gives everything under it, a folder that is reached only its own', async () => {
  const files = Array.from({ length: 29 }, (_, n) => `src/f${String(n).padStart(2, '0')}.ts`)
  const project = await work.indexed([...files, 'src/deep/er/a.ts#run', 'lib/b.ts'])
  await work.lesson(project.id, 'all/src', { anchors: ['src/'] })
  await work.lesson(project.id, 'all/run', { anchors: ['src/deep/er/a.ts#run'] })
  await work.lesson(project.id, 'all/file', { anchors: ['src/f07.ts'] })
  await work.lesson(project.id, 'all/lib', { anchors: ['lib/b.ts'] })
  const start = await work.near(project.id, { paths: ['src/'], depth: 0 })
  expect(start.body.entries.map(({ id, hops }) => [id, hops])).toEqual([
    ['all/file', 0],
    ['all/run', 0],
    ['all/src', 0],
  ])
  const reached = await work.near(project.id, { paths: ['src/f00.ts'], depth: 1 })
  expect(idsOf(reached.body.entries)).toEqual(['all/src'])
  expect(reached.body.entries[0]).toMatchObject({ hops: 1, via_node_id: project.node('src/') })
})

test('LES-17 LES-20: each hop climbs one folder; two hops by default', async () => {
  const project = await work.indexed(['a/b/c/d.ts'])
  for (const folder of ['a/b/c/', 'a/b/', 'a/'])
    await work.lesson(project.id, `up/${folder.length}`, { anchors: [folder] })
  const hops = async (query: object) =>
    (await work.near(project.id, { paths: ['a/b/c/d.ts'], ...query })).body.entries.map((each) => each.hops)
  expect(await hops({})).toEqual([1, 2])
  expect(await hops({ depth: 1 })).toEqual([1])
  expect(await hops({ depth: 3 })).toEqual([1, 2, 3])
  expect(await hops({ depth: 3, kinds: ['import'] })).toEqual([])
})

test('LES-19 LES-21 LES-G4: kinds and directions are those that are asked for', async () => {
  const project = await chain()
  const ids = async (query: object) => idsOf((await work.near(project.id, query)).body.entries)
  const find = { paths: ['lib/base.ts#find'], depth: 1 }
  expect(await ids(find)).toEqual(['engine/find', 'engine/store'])
  expect(await ids({ ...find, kinds: ['call'] })).toEqual(['engine/find', 'engine/go'])
  expect(await ids({ ...find, kinds: ['call', 'import', 'call'] })).toEqual([
    ...['engine/find', 'engine/go', 'engine/store'],
  ])
  expect(await ids({ ...find, kinds: [] })).toEqual(['engine/find'])
  expect(await ids({ ...find, direction: 'out' })).toEqual(['engine/find'])
  expect(await ids({ paths: ['src/store.ts'], depth: 1, direction: 'out' })).toEqual([
    ...['engine/store', 'engine/find'],
  ])
  expect(await ids({ paths: ['src/store.ts'], depth: 1, direction: 'in', kinds: ['import'] })).toEqual([
    'engine/store',
  ])
})

test('LES-23 LES-24 LES-25 LES-38 LES-G5: a hub is listed and not walked through, unless it is a start', async () => {
  const users = Array.from({ length: 26 }, (_, n) => `u${String(n).padStart(2, '0')}.ts`)
  const project = await work.indexed(
    ['hub.ts', 'deep/behind.ts', ...users.map((name) => `use/${name}`)],
    [
      ...users.slice(0, 25).map((name) => imports(`use/${name}`, 'hub.ts')),
      imports('hub.ts', 'deep/behind.ts'),
    ],
  )
  await work.lesson(project.id, 'hub/own', { anchors: ['hub.ts'] })
  await work.lesson(project.id, 'hub/behind', { anchors: ['deep/behind.ts'] })
  const query = { paths: ['use/u00.ts'], kinds: ['import'], depth: 3 }
  const { body } = await work.near(project.id, query)
  expect(body.damped).toEqual([{ node_id: project.node('hub.ts'), path: 'hub.ts', degree: 26 }])
  expect(idsOf(body.entries)).toEqual(['hub/own'])
  expect(body.reached_nodes).toBe(2)
  // As many edges as the cap are no hub; a start is never one, also when another start reaches it.
  const capped = await work.near(project.id, { ...query, hub_cap: 26 })
  expect(capped.body.damped).toEqual([])
  expect(idsOf(capped.body.entries)).toEqual(['hub/own', 'hub/behind'])
  const start = await work.near(project.id, { ...query, paths: ['use/u00.ts', 'hub.ts'] })
  expect(start.body.damped).toEqual([])
  expect(idsOf(start.body.entries)).toEqual(['hub/own', 'hub/behind'])
  // Counted for each kind by itself: 26 imports and one parent are more than 26 together.
  const both = await work.near(project.id, { ...query, kinds: ['import', 'contains'], hub_cap: 26, depth: 1 })
  expect(both.body.damped).toEqual([{ node_id: project.node('use/'), path: 'use/', degree: 27 }])
})

test('LES-31 LES-39 LES-G7: pinned ones first, then fewer hops, then the id; exactly `limit` is not truncated', async () => {
  const project = await work.indexed(
    ['a.ts', 'b.ts', 'c.ts'],
    [imports('a.ts', 'b.ts'), imports('b.ts', 'c.ts')],
  )
  await work.lesson(project.id, 'o/z', { anchors: ['a.ts'] })
  await work.lesson(project.id, 'o/B', { anchors: ['a.ts'] })
  await work.lesson(project.id, 'o/a', { anchors: ['a.ts', 'b.ts', 'c.ts'] })
  await work.lesson(project.id, 'o/far', { anchors: ['c.ts'], pinned: true })
  await work.lesson(project.id, 'o/mid', { anchors: ['b.ts'] })
  const read = async (limit: number) =>
    (await work.near(project.id, { paths: ['a.ts'], kinds: ['import'], limit })).body
  const all = await read(5)
  expect(all.entries.map(({ id, hops }) => [id, hops])).toEqual([
    ...[
      ['o/far', 2],
      ['o/B', 0],
      ['o/a', 0],
      ['o/z', 0],
      ['o/mid', 1],
    ],
  ])
  expect(all.truncated).toBe(false)
  const cut = await read(4)
  expect([idsOf(cut.entries), cut.truncated]).toEqual([idsOf(all.entries.slice(0, 4)), true])
})

test('LES-40: a walk that would reach more than 1,000 nodes is cut there and says so, the same each time', async () => {
  const files = Array.from({ length: 1010 }, (_, n) => `many/f${String(n).padStart(4, '0')}.ts`)
  const project = await work.indexed(files)
  await work.lesson(project.id, 'many/last', { anchors: ['many/f1009.ts'] })
  const query = { paths: ['many/'], depth: 1 }
  const { body } = await work.near(project.id, query)
  expect(body).toMatchObject({ reached_nodes: 1000, truncated: true })
  // Everything under a start, whether the walk came there or not.
  expect(idsOf(body.entries)).toEqual(['many/last'])
  expect((await work.near(project.id, query)).body).toEqual(body)
})

test('LES-07 LES-45: retired and superseded lessons are not returned; a stale one is, where an anchor is live', async () => {
  const project = await work.indexed(['src/a.ts'])
  await work.lesson(project.id, 's/live', { anchors: ['src/a.ts'] })
  await work.lesson(project.id, 's/stale', { anchors: ['src/'], stale_in: 'c0ffee' })
  await work.lesson(project.id, 's/retired', { anchors: ['src/a.ts'], status: 'retired' })
  await work.lesson(project.id, 's/old', { anchors: ['src/a.ts'], status: 'superseded' })
  const { body } = await work.near(project.id, { paths: ['src/a.ts'], limit: 2 })
  expect(idsOf(body.entries)).toEqual(['s/live', 's/stale'])
  expect(body.truncated).toBe(false)
  expect(body.entries[1]).toMatchObject({ stale: true, stale_reason: 'code removed in c0ffee' })
})

test('LES-41 LES-42 LES-G8 IDX-10: a project without a complete index is 200 with `no_ready_index`', async () => {
  const id = await work.newProject()
  await work.lesson(id, 'early/bird', { anchors: ['src/a.ts'] })
  const { status, body } = await work.near(id, { paths: ['src/a.ts'] })
  expect([status, body]).toEqual([
    200,
    { entries: [], reached_nodes: 0, damped: [], truncated: false, degraded: 'no_ready_index' },
  ])
})
