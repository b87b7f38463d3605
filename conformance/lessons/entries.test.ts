import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import type pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { idsOf, nowhere, ReadingWorkspace } from './reading-world.ts'

const server = useSharedServer('product')
let admin: pg.Client
let work: ReadingWorkspace
let project: string
beforeAll(async () => {
  admin = await server.connection('superuser')
  work = await ReadingWorkspace.open(server, admin)
  project = await work.newProject()
  for (const slug of ['a-b/one', 'a/two', 'a/one', 'a/c/one', 'b/one'])
    await work.lesson(project, slug, { anchors: ['src/a.ts'] })
  for (let n = 0; n < 12; n += 1)
    await work.lesson(project, `gone/n${String(n).padStart(2, '0')}`, { stale_in: 'abc', type: 'gotcha' })
  await work.lesson(project, 'a/stale', { stale_in: 'def' })
  await work.lesson(project, 'a/retired', { status: 'retired' })
})

interface Page {
  readonly lessons: readonly { readonly id: string; readonly area: string; readonly body?: string }[]
  readonly next_cursor: string | null
}
const list = (query: Readonly<Record<string, string>> = {}) =>
  work.call<Page>('GET', `/projects/${project}/lessons?${new URLSearchParams(query)}`)

test('LES-01 LES-02 LES-07: lessons are listed by area in pages, without those that were retired', async () => {
  const pages: Page[] = []
  for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)?.next_cursor ?? null)
    pages.push((await list({ limit: '4', ...(cursor ? { cursor } : {}) })).body)
  expect(pages.flatMap(({ lessons }) => idsOf(lessons))).toEqual([
    ...['a/one', 'a/stale', 'a/two', 'a-b/one', 'a/c/one', 'b/one'],
    ...Array.from({ length: 12 }, (_, n) => `gone/n${String(n).padStart(2, '0')}`),
  ])
  expect(pages[0]?.lessons[0]).toMatchObject({ path: 'lessons/a/one.md', area: 'a', status: 'live' })
  expect(pages[0]?.lessons[0]).not.toHaveProperty('body')
  const ids = async (query: Readonly<Record<string, string>>) => idsOf((await list(query)).body.lessons)
  expect(await ids({ status: 'retired' })).toEqual(['a/retired'])
  expect(await ids({ area: 'a', stale: 'false' })).toEqual(['a/one', 'a/two'])
  expect(await ids({ area: 'a', stale: 'true' })).toEqual(['a/stale'])
  expect((await ids({ type: 'gotcha', limit: '100' })).length).toBe(12)
  expect((await list({ cursor: 'made-up' })).status).toBe(422)
})

test('LES-05: a lesson is read by its id with its anchors and history, also one that is no longer live', async () => {
  const id = await work.lesson(project, 'h/one', { anchors: ['src/a.ts', 'src/a.ts#run', 'src/'] })
  await admin.query(
    `insert into lessons.history (brand_id, lesson_id, n, action, commit_id, detail) values
       ($1, $2, 1, 'created', null, '{}'), ($1, $2, 2, 'moved', 'abc', $3), ($1, $2, 3, 'stale', 'def', '{}')`,
    [work.brand_id, id, { anchors: [{ from: 'src/b.ts#run', to: 'src/a.ts#run' }] }],
  )
  const get = (slug: string, of = project) =>
    work.call('GET', `/projects/${of}/lessons:get?${new URLSearchParams({ id: slug })}`)
  const { status, body } = await get('h/one')
  expect(status).toBe(200)
  expect(body).toMatchObject({
    id: 'h/one',
    area: 'h',
    status: 'live',
    anchors: ['src/a.ts', 'src/a.ts#run', 'src/'],
    history: [
      { action: 'stale', commit: 'def', moves: [] },
      { action: 'moved', commit: 'abc', moves: [{ from: 'src/b.ts#run', to: 'src/a.ts#run' }] },
      { action: 'created', commit: null, moves: [] },
    ],
  })
  expect((await get('a/retired')).body).toMatchObject({ status: 'retired', history: [] })
  expect(await get('a/none')).toMatchObject({ status: 404, body: { detail: 'Lesson not found' } })
  expect(await get('h/one', nowhere)).toMatchObject({ status: 404, body: { detail: 'Project not found' } })
})

test('LES-53: stale lessons are listed by area, with how many there are of each', async () => {
  const { body } = await work.call<{
    total: number
    areas: { area: string; total: number; lessons: { id: string; stale_reason: string }[] }[]
  }>('GET', `/projects/${project}/lessons:stale`)
  expect(body.total).toBe(13)
  expect(body.areas.map(({ area, total, lessons }) => [area, total, lessons.length])).toEqual([
    ['a', 1, 1],
    ['gone', 12, 5],
  ])
  expect(body.areas[0]?.lessons).toEqual([
    { id: 'a/stale', path: 'lessons/a/stale.md', type: 'rule', stale_reason: 'code removed in def' },
  ])
})
