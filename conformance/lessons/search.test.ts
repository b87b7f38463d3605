import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import type pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { idsOf, nowhere, ReadingWorkspace } from './reading-world.ts'

const server = useSharedServer('product')
let admin: pg.Client
let work: ReadingWorkspace
let project_id: string
beforeAll(async () => {
  admin = await server.connection('superuser')
  work = await ReadingWorkspace.open(server, admin)
  // There is no index at all.
  project_id = await work.newProject({ is_attached: false })
  const at = (hour: number) => ({ created_at: `2026-01-01T${String(hour).padStart(2, '0')}:00:00Z` })
  await work.lesson(project_id, 'tax/file', { anchors: ['src/tax/rate.ts'], ...at(1) })
  await work.lesson(project_id, 'tax/file-new', { anchors: ['src/tax/rate.ts'], ...at(2) })
  await work.lesson(project_id, 'tax/method', { anchors: ['src/tax/rate.ts#Rate.of'], type: 'gotcha' })
  await work.lesson(project_id, 'tax/inner', { anchors: ['src/tax/rate.ts#Rate.of.half'] })
  await work.lesson(project_id, 'tax/other', { anchors: ['src/tax/rate.ts#Rated'], body: 'Rounds HALF up.' })
  await work.lesson(project_id, 'tax/eu/folder', { anchors: ['src/tax/'] })
  await work.lesson(project_id, 'all/src', { anchors: ['src/'] })
  await work.lesson(project_id, 'all/pinned', { anchors: ['src/'], pinned: true })
  await work.lesson(project_id, 'taxi/near', { anchors: ['src2/a.ts', 'src2/'] })
  await work.lesson(project_id, 'gone/stale', { anchors: ['src/tax/rate.ts'], stale_in: 'abc', ...at(0) })
  await work.lesson(project_id, 'gone/retired', { anchors: ['src/tax/rate.ts'], status: 'retired' })
})

const find = async (query: Readonly<Record<string, string>>) =>
  (await work.search({ project_id, ...query })).body
const matches = async (query: Readonly<Record<string, string>>) =>
  (await find(query)).items.map(({ id, matched_by }) => [id, matched_by])

test('LES-46 LES-54 LES-55 LES-56 LES-57 LES-G13 LES-G14 IDX-04: pinned, then anchor, symbol and folder, the nearest folder first; without an index', async () => {
  const { status, body } = await work.search({ project_id, anchor: 'src/tax/rate.ts' })
  expect(status).toBe(200)
  expect(Object.keys(body).sort()).toEqual(['items', 'query', 'total', 'warnings'])
  expect(body.items.map(({ id, matched_by }) => [id, matched_by])).toEqual([
    ['all/pinned', 'folder'],
    ['tax/file-new', 'anchor'],
    ['tax/file', 'anchor'],
    ['gone/stale', 'anchor'],
    ...body.items.slice(4, 7).map(({ id }) => [id, 'symbol']),
    ['tax/eu/folder', 'folder'],
    ['all/src', 'folder'],
  ])
  expect(idsOf(body.items.slice(4, 7)).toSorted()).toEqual(['tax/inner', 'tax/method', 'tax/other'])
  expect(body).toMatchObject({ query: 'src/tax/rate.ts', total: 9, warnings: [] })
  expect(body.items.find(({ id }) => id === 'gone/stale')).toMatchObject({
    stale: true,
    stale_reason: 'code removed in abc',
    path: 'lessons/gone/stale.md',
    anchors: ['src/tax/rate.ts'],
    project_id,
  })
})

test('LES-47 LES-G13: of a symbol, its own, then its file and the symbols around it and in it', async () => {
  expect(await matches({ anchor: 'src/tax/rate.ts#Rate.of', limit: '3' })).toEqual([
    ['all/pinned', 'folder'],
    ['tax/method', 'anchor'],
    ['tax/inner', 'symbol'],
  ])
  const ids = (await find({ anchor: 'src/tax/rate.ts#Rate.of' })).items.map(({ id }) => id)
  expect(ids).not.toContain('tax/other')
  expect(ids).toContain('tax/file')
})

test('LES-G15: folders are compared by whole segments', async () => {
  expect(idsOf((await find({ anchor: 'src2/b.ts' })).items)).toEqual(['taxi/near'])
  expect(await matches({ anchor: 'src/' })).toEqual([
    ['all/pinned', 'anchor'],
    ['all/src', 'anchor'],
  ])
  expect(await matches({ anchor: 'src/tax' })).toEqual([
    ['all/pinned', 'folder'],
    ['all/src', 'folder'],
  ])
})

test('LES-50 LES-G11: `q`, `type` and `scope` narrow', async () => {
  const anchor = 'src/tax/rate.ts'
  expect(await matches({ anchor, q: 'half rounds' })).toEqual([['tax/other', 'symbol']])
  expect(await matches({ anchor, type: 'gotcha' })).toEqual([['tax/method', 'symbol']])
  expect(await matches({ anchor, scope: 'tax/eu' })).toEqual([['tax/eu/folder', 'folder']])
  expect((await find({ anchor, scope: 'tax/' })).total).toBe(6)
  expect((await find({ anchor, scope: 'ta' })).total).toBe(0)
})

test('LES-51 LES-52 LES-G16: `total` is counted before `limit`', async () => {
  const { items, total } = await find({ anchor: 'src/tax/rate.ts', limit: '2' })
  expect([items.length, total]).toEqual([2, 9])
  for (const limit of ['0', '501', '-1', 'ten', '1.5'])
    expect((await work.search({ anchor: 'a.ts', limit })).status).toBe(422)
  expect((await work.search({ anchor: 'a.ts', limit: '500' })).status).toBe(200)
})

test('LES-53 LES-G9 LES-G12 IDX-04: `stale=true` lists every stale lesson, `false` leaves them out, and an anchor is needed otherwise', async () => {
  await work.lesson(project_id, 'gone/lost', { anchors: ['lib/lost.ts'], stale_in: 'def' })
  expect((await matches({ stale: 'true' })).toSorted()).toEqual([
    ['gone/lost', null],
    ['gone/stale', null],
  ])
  expect((await find({ stale: 'true' })).query).toBeNull()
  expect(await matches({ stale: 'true', anchor: 'lib/lost.ts' })).toEqual([['gone/lost', 'anchor']])
  expect((await find({ stale: 'false', anchor: 'src/tax/rate.ts' })).total).toBe(8)
  expect((await work.search({ project_id })).status).toBe(422)
  expect((await work.search({ project_id, stale: 'false' })).status).toBe(422)
  expect((await work.search({ project_id, stale: 'yes', anchor: 'a.ts' })).status).toBe(422)
  expect((await work.search({ project_id, anchor: '../a.ts' })).status).toBe(422)
})

test('LES-48 LES-49 LES-G10 LES-G16: a project is optional; one that is not there, or not ours, is 404', async () => {
  const second = await work.newProject()
  await work.lesson(second, 'second/one', { anchors: ['only/second.ts'] })
  const all = await work.search({ anchor: 'only/second.ts' })
  expect(all.body.items).toMatchObject([{ id: 'second/one', project_id: second }])
  expect(all.body.warnings).toHaveLength(1)
  expect((await find({ anchor: 'only/second.ts' })).total).toBe(0)
  expect((await work.search({ anchor: 'a.ts', project_id: 'engine' })).status).toBe(422)
  const other = await ReadingWorkspace.open(server, admin)
  const foreign = await other.newProject()
  for (const id of [nowhere, foreign])
    expect(await work.search({ anchor: 'a.ts', project_id: id })).toMatchObject({
      status: 404,
      body: { detail: 'Project not found' },
    })
  expect((await other.search({ anchor: 'src/tax/rate.ts' })).body.total).toBe(0)
})
