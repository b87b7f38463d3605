import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { call } from '@crewhall/testkit/world/call.ts'
import { beforeAll, expect, test } from 'vitest'
import { nowhere } from '../code-index/project-world.ts'
import { lessonText, SyncedWorkspace } from './synced-world.ts'

const server = useSharedServer('product')
let work: SyncedWorkspace
let project: string
beforeAll(async () => {
  work = await SyncedWorkspace.open(server)
})
const newProject = async () => {
  project = (await work.projects.add()).id
  return project
}

test('LES-G21 LES-01 LES-02 a sync says of each file whether it was created, changed, unchanged or refused', async () => {
  await newProject()
  const first = await work.sync(project, {
    'billing/rounding': lessonText({ body: 'Round half to even.' }),
    'billing/invoices/dates': lessonText({ type: 'gotcha', body: 'Dates have no zone.' }),
  })
  expect(first).toMatchObject({ created: 2, changed: 0, unchanged: 0, refused: 0 })
  expect(first.files.map(({ id, path }) => [id, path])).toEqual([
    ['billing/rounding', 'lessons/billing/rounding.md'],
    ['billing/invoices/dates', 'lessons/billing/invoices/dates.md'],
  ])
  const second = await work.sync(project, {
    'billing/rounding': lessonText({ body: 'Round half to even.' }),
    'billing/invoices/dates': lessonText({ type: 'gotcha', body: 'Dates are in UTC.' }),
    'billing/broken': '---\ntype: [\n---\nBody\n',
    'billing/new': lessonText(),
  })
  expect(second.files.map(({ outcome }) => outcome)).toEqual(['unchanged', 'changed', 'refused', 'created'])
  expect(second).toMatchObject({ created: 1, changed: 1, unchanged: 1, refused: 1 })
  expect(second.files[2]).toMatchObject({ id: null, reason: expect.stringContaining('no valid YAML') })
  expect((await work.lessons(project)).map(({ slug, body }) => [slug, body])).toEqual([
    ['billing/invoices/dates', 'Dates are in UTC.'],
    ['billing/new', 'A rule.'],
    ['billing/rounding', 'Round half to even.'],
  ])
})

test('LES-G1 the front matter gives type, title, author, card and pinned, also with line ends of Windows', async () => {
  await newProject()
  const more = 'title: Money is exact\nauthor: Ann\ncard: 4711\npinned: true\nowner: not ours'
  const text = lessonText({ type: 'decision', more, body: '## Sub\n\nText' }).replaceAll('\n', '\r\n')
  await work.sync(project, {
    'billing/money': text,
    'billing/heading': lessonText({ body: 'Intro\n\n# Head #\n' }),
  })
  const rows = await work.world.sql(
    'select slug, area, type, title, author, card_ref, is_pinned, body from lessons.lessons where project_id = $1 order by slug',
    [project],
  )
  expect(rows).toEqual([
    {
      slug: 'billing/heading',
      area: 'billing',
      type: 'rule',
      title: 'Head #',
      author: null,
      card_ref: null,
      is_pinned: false,
      body: 'Intro\n\n# Head #',
    },
    {
      slug: 'billing/money',
      area: 'billing',
      type: 'decision',
      title: 'Money is exact',
      author: 'Ann',
      card_ref: '4711',
      is_pinned: true,
      body: '## Sub\n\nText',
    },
  ])
})

test('LES-07 retired and superseded lessons are not live, and live again when their files say so', async () => {
  await newProject()
  const status = async () =>
    Object.fromEntries((await work.lessons(project)).map((each) => [each.slug, each.status]))
  await work.sync(project, { 'a/old': lessonText(), 'a/gone': lessonText({ more: 'retired: true' }) })
  await work.sync(project, { 'a/new': lessonText({ more: 'supersedes: a/old' }) })
  expect(await status()).toEqual({ 'a/gone': 'retired', 'a/new': 'live', 'a/old': 'superseded' })
  await work.sync(project, { 'a/new': lessonText({ more: 'supersedes: [a/gone]' }), 'a/gone': lessonText() })
  expect(await status()).toEqual({ 'a/gone': 'superseded', 'a/new': 'live', 'a/old': 'live' })
})

test('LES-09 LES-G21 the colon of the path is plain or percent-encoded', async () => {
  await newProject()
  const files = [{ path: 'lessons/a/b.md', text: lessonText() }]
  for (const [colon, outcome] of [
    [':', 'created'],
    ['%3A', 'unchanged'],
    ['%3a', 'unchanged'],
  ]) {
    const answer = await work.call<{ files: { outcome: string }[] }>(`${project}/lessons${colon}sync`, {
      files,
    })
    expect([answer.status, answer.body.files[0]?.outcome]).toEqual([200, outcome])
  }
})

test('a sync needs memory:write and a project of the workspace', async () => {
  await newProject()
  const files = [{ path: 'lessons/a/b.md', text: lessonText() }]
  const other = await SyncedWorkspace.open(server)
  const sync = (by: typeof work.writer, id: string) =>
    call(server.get, by, 'POST', `/api/v1/projects/${id}/lessons:sync`, { files })
  expect((await sync(work.reader, project)).status).toBe(403)
  expect((await sync(other.writer, project)).status).toBe(404)
  expect((await sync(work.writer, nowhere)).status).toBe(404)
  expect(await work.lessons(project)).toEqual([])
  expect((await work.call(`${project}/lessons:sync`, { files: [] })).status).toBe(422)
})

test('the same path twice is refused once, and the first one is written', async () => {
  await newProject()
  const files = ['One.', 'Two.'].map((body) => ({ path: 'lessons/a/b.md', text: lessonText({ body }) }))
  const { body } = await work.call<{ files: { outcome: string }[] }>(`${project}/lessons:sync`, { files })
  expect(body.files.map(({ outcome }) => outcome)).toEqual(['created', 'refused'])
  expect((await work.lesson(project, 'a/b')).body).toBe('One.')
})

test('LES-G21 before the first index no file was read or refused; another workspace sees nothing', async () => {
  await newProject()
  await work.sync(project, { 'billing/broken': '---\ntype: [\n---\nBody\n' })
  const none = { commit: null, synced_at: null, files: 0, refused_total: 0, refused: [] }
  expect(await work.syncState(project)).toEqual(none)
  const other = await SyncedWorkspace.open(server)
  const path = `/api/v1/projects/${project}/lessons:sync`
  expect((await call(server.get, other.reader, 'GET', path)).status).toBe(404)
  expect((await call(server.get, work.writer, 'GET', path)).status).toBe(403)
})
