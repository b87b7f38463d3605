import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import type pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { idsOf, nowhere, ReadingWorkspace } from './reading-world.ts'

const server = useSharedServer('product')
let admin: pg.Client
let work: ReadingWorkspace
beforeAll(async () => {
  admin = await server.connection('superuser')
  work = await ReadingWorkspace.open(server, admin)
})

async function sevenOnRun() {
  const project = await work.indexed(['src/a.ts#run', 'src/b.ts', 'lib/c.ts'])
  for (let n = 1; n <= 6; n += 1)
    await work.lesson(project.id, `run/n${n}`, {
      anchors: ['src/a.ts#run'],
      created_at: `2026-01-0${n}T00:00:00Z`,
    })
  const old = { anchors: ['src/a.ts#run'], created_at: '2025-01-01T00:00:00Z', pinned: true }
  await work.lesson(project.id, 'run/pinned', old)
  await work.lesson(project.id, 'run/retired', { anchors: ['src/a.ts#run'], status: 'retired' })
  await work.lesson(project.id, 'folder/src', { anchors: ['src/', 'src/b.ts'] })
  return project
}

test('LES-58 LES-63 LES-64 LES-65 LES-66 LES-67 LES-07: counts are whole, five lessons are shown, pinned ones first, then the newest', async () => {
  const project = await sevenOnRun()
  const [run, src, lib] = [project.node('src/a.ts#run'), project.node('src/'), project.node('lib/')]
  const { status, body } = await work.lookUp(project.id, [run, src, lib])
  expect(status).toBe(200)
  expect(Object.keys(body).sort()).toEqual(['counts', 'entries'])
  expect(body.counts).toEqual({ [run]: 7, [src]: 8 })
  expect(idsOf(body.entries[run] ?? [])).toEqual(['run/pinned', 'run/n6', 'run/n5', 'run/n4', 'run/n3'])
  expect(Object.keys(body.entries).sort()).toEqual([run, src].sort())
  expect(body.entries[run]?.[0]).toEqual({
    id: 'run/pinned',
    path: 'lessons/run/pinned.md',
    type: 'rule',
    body: 'Body of run/pinned.',
    pinned: true,
    stale: false,
    stale_reason: null,
  })
  const encoded = await work.call('POST', '/memory/anchors%3Alookup', {
    project_id: project.id,
    node_ids: [run, src, lib],
  })
  expect(encoded.body).toEqual(body)
})

test('LES-62: `subtree` is everything under a node, `exact` what is on it', async () => {
  const project = await sevenOnRun()
  const nodes = ['/', 'src/', 'src/a.ts', 'src/b.ts'].map((place) => project.node(place))
  const [root, src, file, other] = nodes
  const counts = async (more: object) => (await work.lookUp(project.id, nodes, more)).body.counts
  const subtree = { [root ?? '']: 8, [src ?? '']: 8, [file ?? '']: 7, [other ?? '']: 1 }
  expect(await counts({})).toEqual(subtree)
  expect(await counts({ match: 'subtree' })).toEqual(subtree)
  expect(await counts({ match: 'exact' })).toEqual({ [src ?? '']: 1, [other ?? '']: 1 })
  expect((await work.lookUp(project.id, nodes, { match: 'all' })).status).toBe(422)
})

test('LES-59 LES-60 LES-61: 1,000 ids pass and 1,001 do not; an id is a UUID; both fields are needed', async () => {
  const project = await work.indexed(['a.ts'])
  await work.lesson(project.id, 'a/one', { anchors: ['a.ts'] })
  const ids = [project.node('a.ts'), ...Array.from({ length: 999 }, () => crypto.randomUUID())]
  expect((await work.lookUp(project.id, ids)).body.counts).toEqual({ [project.node('a.ts')]: 1 })
  expect((await work.lookUp(project.id, [...ids, nowhere])).status).toBe(422)
  expect((await work.lookUp(project.id, ['a.ts'])).status).toBe(422)
  expect((await work.call('POST', '/memory/anchors:lookup', { project_id: project.id })).status).toBe(422)
  expect((await work.call('POST', '/memory/anchors:lookup', { node_ids: ids })).status).toBe(422)
})

test('LES-G17: no ids are no lessons; a project that is missing, foreign or without a repository is 404; nodes of others are absent', async () => {
  const project = await sevenOnRun()
  const twin = await sevenOnRun()
  const empty = { counts: {}, entries: {} }
  expect((await work.lookUp(project.id, [])).body).toEqual(empty)
  expect((await work.lookUp(project.id, [twin.node('src/'), nowhere])).body).toEqual(empty)
  const other = await ReadingWorkspace.open(server, admin)
  const foreign = await other.indexed(['a.ts'])
  const bare = await work.newProject({ is_attached: false })
  for (const id of [nowhere, foreign.id, bare])
    expect(await work.lookUp(id, [])).toMatchObject({ status: 404, body: { detail: 'Project not found' } })
})
