import type { TestRepository } from '@crewhall/testkit/git/test-repository.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { verifyData } from '@crewhall/testkit/verify-data.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  attached,
  type IndexHome,
  indexNow,
  newRepository,
  openIndexHome,
} from '../code-index/index-world.ts'
import { lessonText, SyncedWorkspace } from './synced-world.ts'

const server = useServer('product')
let home: IndexHome
let work: SyncedWorkspace
let names = 0

beforeAll(async () => {
  home = await openIndexHome()
  const api = await server.start('api', home.env)
  await server.start('worker', home.env)
  work = await SyncedWorkspace.open({
    sql: server.sql,
    get: (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init),
  })
})
afterAll(() => home.close())

const longBody = (name: string) =>
  `export function ${name}(rows: number[]): number {\n  let sum = 0\n  for (const row of rows) if (row > 10) sum += row * 2\n  return sum\n}\n`
const sources = {
  'src/store.ts': `export class Store {\n  find(id: string): string {\n    return id\n  }\n}\n${longBody('total')}`,
  'src/main.ts': "import { Store } from './store.ts'\n\nexport const main = () => new Store().find('a')\n",
  'docs/guide.txt': 'A guide.\n',
}

interface Repository {
  readonly id: string
  readonly git: TestRepository
  /** Pushes and indexes; fails unless an index is the result. */
  index(): Promise<void>
}
async function open(files: Readonly<Record<string, string>>): Promise<Repository> {
  names += 1
  const name = `lessons${names}.git`
  const git = newRepository(home, name)
  git.commit(files)
  git.push()
  const id = await attached(work.projects, `${home.git.url}/${name}`)
  const index = async () => {
    git.push()
    const { state, fault, commit } = await indexNow(work.projects, id)
    expect([state, fault, commit]).toEqual(['ready', null, git.git('rev-parse', 'HEAD')])
  }
  await index()
  return { id, git, index }
}
const lessonFiles = (anchors: Readonly<Record<string, readonly string[]>>) =>
  Object.fromEntries(
    Object.entries(anchors).map(([slug, list]) => [
      `lessons/${slug}.md`,
      lessonText({ anchors: list, body: `About ${slug}.` }),
    ]),
  )
const stale = async (id: string) =>
  Object.fromEntries((await work.lessons(id)).map(({ slug, stale_in }) => [slug, stale_in]))
const verified = async () => {
  const { code, output } = await verifyData(server.database.url)
  expect([code, output]).toEqual([0, expect.any(String)])
}

test('IDX-08 LES-G21 SYS-17 lessons come out of the repository with its index, change with it, and go with their files', async () => {
  const repository = await open({
    ...sources,
    ...lessonFiles({ 'core/store': ['src/store.ts#Store.find', 'src/'], 'core/main': ['src/main.ts'] }),
    'lessons/core/broken.md': 'no front matter',
    'lessons/core/nul.md': lessonText({ body: 'a\0b' }),
    'lessons/core/large.md': lessonText({ body: 'a'.repeat(70_000) }),
    'lessons/README.md': '# Lessons',
    'lessons/misplaced.md': lessonText(),
    'lessons/core/picture.png': 'x',
  })
  const { id, git } = repository
  expect((await work.lessons(id)).map(({ slug, anchors }) => [slug, anchors])).toEqual([
    ['core/main', ['src/main.ts']],
    ['core/store', ['src/store.ts#Store.find', 'src/']],
  ])
  const state = await work.syncState(id)
  const commit = git.git('rev-parse', 'HEAD')
  expect(state).toMatchObject({ commit, synced_at: expect.any(String), files: 5, refused_total: 4 })
  const reasons = new Map(state.refused.map(({ path, reason }) => [path, reason]))
  expect([...reasons.keys()].sort()).toEqual([
    'lessons/core/broken.md',
    'lessons/core/large.md',
    'lessons/core/nul.md',
    'lessons/misplaced.md',
  ])
  expect(reasons.get('lessons/core/large.md')).toContain('more than 65536 bytes')
  git.commit({
    ...lessonFiles({ 'core/new': ['docs/'] }),
    'lessons/core/main.md': null,
    'lessons/core/broken.md': lessonText(),
  })
  await repository.index()
  const status = Object.fromEntries((await work.lessons(id)).map((lesson) => [lesson.slug, lesson.status]))
  expect(status).toEqual({
    'core/broken': 'live',
    'core/main': 'removed',
    'core/new': 'live',
    'core/store': 'live',
  })
  expect((await work.syncState(id)).refused.map(({ path }) => path)).not.toContain('lessons/core/broken.md')
  // A file that was broken for a while leaves the lesson as it was.
  git.commit({ 'lessons/core/new.md': '---\n' })
  await repository.index()
  expect(await work.lesson(id, 'core/new')).toMatchObject({ status: 'live', body: 'About core/new.' })
  expect((await work.syncState(id)).refused.map(({ path }) => path)).toContain('lessons/core/new.md')
  await verified()
})

test('IDX-07 IDX-G2 anchors follow a moved and edited file, a function cut to another file, and a folder of 100 files', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 100 }, (_, n) => [
      `pkg/part${n}.ts`,
      `export const value${n} = ${n} * ${n + 7}\nexport const other${n} = 'text ${n}'\n`,
    ]),
  )
  const repository = await open({
    ...sources,
    ...many,
    ...lessonFiles({
      'core/find': ['src/store.ts#Store.find'],
      'core/file': ['src/store.ts'],
      'core/total': ['src/store.ts#total'],
      'pkg/folder': ['pkg/'],
      ...Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`pkg/l${n}`, [`pkg/part${n}.ts`]])),
    }),
  })
  const { id, git } = repository
  const before = new Map((await work.lessons(id)).map((lesson) => [lesson.slug, lesson.nodes]))
  git.move('src/store.ts', 'lib/stock.ts')
  git.move('pkg', 'parts')
  // Moved and edited with one commit, and the function goes elsewhere with the next.
  git.commit({ 'lib/stock.ts': `// Stock\n${sources['src/store.ts']}` })
  git.commit({
    'lib/stock.ts': `// Stock\n${sources['src/store.ts']}`.replace(longBody('total'), ''),
    'lib/sums.ts': longBody('total'),
  })
  await repository.index()
  const after = await work.lessons(id)
  expect(after.filter(({ stale_in }) => stale_in !== null)).toEqual([])
  for (const { slug, nodes } of after) expect([slug, nodes]).toEqual([slug, before.get(slug)])
  const anchors = new Map(after.map((lesson) => [lesson.slug, lesson.anchors]))
  expect(anchors.get('core/find')).toEqual(['lib/stock.ts#Store.find'])
  expect(anchors.get('core/file')).toEqual(['lib/stock.ts'])
  expect(anchors.get('core/total')).toEqual(['lib/sums.ts#total'])
  expect(anchors.get('pkg/folder')).toEqual(['parts/'])
  for (let n = 0; n < 100; n += 1) expect(anchors.get(`pkg/l${n}`)).toEqual([`parts/part${n}.ts`])
  // A file that is synced again still names the old place, and is found through its history.
  const again = lessonText({
    anchors: ['src/store.ts#Store.find', 'src/store.ts', 'pkg/part7.ts'],
    body: 'Other.',
  })
  await work.sync(id, { 'core/find': again, 'core/late': again.replace('Other', 'Late') })
  for (const slug of ['core/find', 'core/late'])
    expect(await work.lesson(id, slug)).toMatchObject({
      stale_in: null,
      anchors: ['lib/stock.ts#Store.find', 'lib/stock.ts', 'parts/part7.ts'],
    })
  await verified()
})

test('LES-03 LES-04 IDX-02 IDX-03 IDX-G3 a lesson goes stale with the very commit that removed its code, and lives again with it', async () => {
  const repository = await open({
    ...sources,
    ...lessonFiles({
      'core/total': ['src/store.ts#total'],
      'core/find': ['src/store.ts#Store.find'],
      'core/guide': ['docs/guide.txt'],
    }),
  })
  const { id, git } = repository
  const text = sources['src/store.ts']
  const edit = (n: number, what = text) => git.commit({ 'src/store.ts': `// ${n}\n${what}` })
  edit(1)
  edit(2)
  const removing = edit(3, text.replace(longBody('total'), ''))
  edit(4, text.replace(longBody('total'), ''))
  const removingFile = git.commit({ 'docs/guide.txt': null })
  edit(5, text.replace(longBody('total'), ''))
  await repository.index()
  expect(await stale(id)).toEqual({ 'core/total': removing, 'core/find': null, 'core/guide': removingFile })
  // A stale lesson that is edited stays stale, for the same reason; a new one about dead code is stale from the start.
  git.commit({
    'lessons/core/total.md': lessonText({ anchors: ['src/store.ts#total'], body: 'Edited.' }),
    'lessons/core/late.md': lessonText({ anchors: ['docs/guide.txt'] }),
  })
  await repository.index()
  expect(await stale(id)).toEqual({
    'core/total': removing,
    'core/find': null,
    'core/guide': removingFile,
    'core/late': removingFile,
  })
  edit(6)
  git.commit({ 'docs/guide.txt': sources['docs/guide.txt'] })
  await repository.index()
  expect(await stale(id)).toEqual({
    'core/total': null,
    'core/find': null,
    'core/guide': null,
    'core/late': null,
  })
  const history = await work.world.sql(
    `select h.action, h.commit_id from lessons.history h join lessons.lessons l on l.brand_id = h.brand_id and l.id = h.lesson_id
     where l.project_id = $1 and l.slug = 'core/guide' order by h.n`,
    [id],
  )
  expect(history.slice(1)).toEqual([
    { action: 'stale', commit_id: removingFile },
    { action: 'revived', commit_id: removingFile },
  ])
  await verified()
})

test('IDX-05 IDX-06 IDX-G1 folders keep no lesson about files alive, one of several files does, and folders alone the last one', async () => {
  const repository = await open({
    'a/x.ts': 'export const x = 1\n',
    'a/y.ts': 'export const y = 2\n',
    'b/z.ts': 'export const z = 3\n',
    'c/w.ts': 'export const w = 4\n',
    ...lessonFiles({
      'one/mixed': ['a/x.ts', 'a/'],
      'one/files': ['a/x.ts', 'a/y.ts'],
      'one/folders': ['b/', 'c/'],
      'one/never': ['nowhere.ts', 'a/'],
      'one/none': [],
    }),
  })
  const { id, git } = repository
  expect(Object.values(await stale(id))).toEqual([null, null, null, null, null])
  const first = git.commit({ 'a/x.ts': null })
  git.commit({ 'b/z.ts': null })
  await repository.index()
  expect(await stale(id)).toEqual({
    'one/mixed': first,
    'one/files': null,
    'one/folders': null,
    'one/never': null,
    'one/none': null,
  })
  const second = git.commit({ 'a/y.ts': null, 'c/w.ts': null, 'd/v.ts': 'export const v = 5\n' })
  await repository.index()
  expect(await stale(id)).toEqual({
    'one/mixed': first,
    'one/files': second,
    'one/folders': second,
    'one/never': null,
    'one/none': null,
  })
  // What was never there is found when it comes.
  git.commit({ 'nowhere.ts': 'export const n = 6\n' })
  await repository.index()
  expect((await work.lesson(id, 'one/never')).nodes[0]).toEqual(expect.any(Number))
  git.commit({ 'b/z.ts': 'export const z = 3\n' })
  await repository.index()
  expect(await stale(id)).toMatchObject({ 'one/folders': null, 'one/mixed': first })
  await verified()
})

test('IDX-03 of anchors that die in one index, the commit that took the last one is named, wherever it stands in the file', async () => {
  const repository = await open({
    ...sources,
    'a/x.ts': 'export const x = 1\n',
    'b/y.ts': 'export const y = 2\n',
    'c/z.ts': 'export const z = 3\n',
    ...lessonFiles({
      'one/files': ['a/x.ts', 'b/y.ts', 'c/z.ts'],
      'one/backwards': ['c/z.ts', 'b/y.ts', 'a/x.ts'],
      'one/symbol': ['src/store.ts#total', 'c/z.ts'],
      'one/folders': ['b/', 'a/', 'c/'],
    }),
  })
  const { id, git } = repository
  git.commit({ 'c/z.ts': null })
  const second = git.commit({ 'b/y.ts': null })
  git.commit({ 'docs/guide.txt': 'Between.\n' })
  const third = git.commit({ 'a/x.ts': null })
  const fourth = git.commit({ 'src/store.ts': sources['src/store.ts'].replace(longBody('total'), '') })
  git.commit({ 'docs/guide.txt': 'After.\n' })
  await repository.index()
  expect(await stale(id)).toEqual({
    'one/files': third,
    'one/backwards': third,
    'one/symbol': fourth,
    'one/folders': third,
  })
  // Also of a lesson that comes when all of it is gone.
  await work.sync(id, { 'one/late': lessonText({ anchors: ['b/y.ts', 'c/z.ts'] }) })
  expect((await work.lesson(id, 'one/late')).stale_in).toBe(second)
  await verified()
})

test('IDX-07 a move of more than 1,000 files that are edited with it is followed by every lesson', async () => {
  const count = 1010
  const text = (n: number, edited: string) =>
    `export const value${n} = ${n} * ${n + 7}\nexport const other${n} = 'text ${n}'\n// ${edited}\n`
  const files = (folder: string, edited: string) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [`${folder}/part${n}.ts`, text(n, `${edited} ${n}`)]),
    )
  const anchored = Array.from({ length: 40 }, (_, n) => n * 25)
  const repository = await open({
    ...files('pkg', 'before'),
    ...lessonFiles({
      'pkg/folder': ['pkg/'],
      ...Object.fromEntries(anchored.map((n) => [`pkg/l${n}`, [`pkg/part${n}.ts`]])),
    }),
  })
  const { id, git } = repository
  const before = new Map((await work.lessons(id)).map((lesson) => [lesson.slug, lesson.nodes]))
  git.move('pkg', 'lib/parts')
  git.commit(files('lib/parts', 'after'))
  await repository.index()
  const after = await work.lessons(id)
  expect(after.filter(({ stale_in }) => stale_in !== null)).toEqual([])
  for (const { slug, nodes } of after) expect([slug, nodes]).toEqual([slug, before.get(slug)])
  const anchors = new Map(after.map((lesson) => [lesson.slug, lesson.anchors]))
  expect(anchors.get('pkg/folder')).toEqual(['lib/parts/'])
  for (const n of anchored) expect(anchors.get(`pkg/l${n}`)).toEqual([`lib/parts/part${n}.ts`])
  await verified()
})

test('LES-G2 the corrected file has the places of now, changes nothing by itself, and makes the lesson live when it is committed', async () => {
  const repository = await open({
    ...sources,
    'lessons/core/moved.md': lessonText({
      anchors: ['src/main.ts', 'docs/guide.txt'],
      more: 'author: Ann # kept',
      body: '# Kept\n\nText.',
    }),
  })
  const { id, git } = repository
  git.move('src/main.ts', 'src/start.ts')
  const removing = git.commit({ 'docs/guide.txt': null })
  await repository.index()
  const ask = (body: object) =>
    work.call<{ text: string; is_changed: boolean; path: string; anchors: object[] }>(
      `${id}/lessons%3Are-anchor`,
      body,
      work.reader,
    )
  const { status, body } = await ask({ id: 'core/moved' })
  expect([status, body.path, body.is_changed]).toEqual([200, 'lessons/core/moved.md', true])
  expect(body.anchors).toEqual([
    { anchor: 'src/main.ts', now: 'src/start.ts', state: 'live', removed_in: null, suggestions: [] },
    {
      anchor: 'docs/guide.txt',
      now: 'docs/guide.txt',
      state: 'removed',
      removed_in: removing,
      suggestions: [],
    },
  ])
  expect(body.text).toBe(
    '---\ntype: rule\nanchors:\n  - src/start.ts\n  - docs/guide.txt\nauthor: Ann # kept\n---\n# Kept\n\nText.\n',
  )
  const chosen = await ask({ id: 'core/moved', anchors: ['src/store.ts#Store'] })
  expect((await work.lesson(id, 'core/moved')).anchors).toEqual(['src/start.ts', 'docs/guide.txt'])
  git.commit({ 'lessons/core/moved.md': chosen.body.text })
  await repository.index()
  expect(await work.lesson(id, 'core/moved')).toMatchObject({
    stale_in: null,
    anchors: ['src/store.ts#Store'],
  })
  expect((await ask({ id: 'core/none' })).status).toBe(404)
  expect((await ask({ id: 'core/moved', anchors: ['../x'] })).status).toBe(422)
})

test('LES-G2 IDX-G2 a function that goes elsewhere with another body is no longer followed, but suggested, and only while it is there', async () => {
  const repository = await open({
    ...sources,
    ...lessonFiles({ 'core/total': ['src/store.ts#total'], 'core/find': ['src/store.ts#Store.find'] }),
  })
  const { id, git } = repository
  const rewritten = longBody('sumOf').replace('row > 10', 'row > 20').replace('row * 2', 'row * 3')
  const removing = git.commit({
    'src/store.ts': sources['src/store.ts'].replace(longBody('total'), ''),
    'lib/sums.ts': `${rewritten}export function other(id: string): string {\n  return id.trim().toLowerCase()\n}\n`,
  })
  await repository.index()
  interface Suggested {
    readonly anchors: readonly { suggestions: readonly { anchor: string; similarity: number }[] }[]
  }
  const suggested = async () => {
    const { body } = await work.call<Suggested>(`${id}/lessons:re-anchor`, { id: 'core/total' }, work.reader)
    return body.anchors[0]?.suggestions ?? []
  }
  expect(await stale(id)).toEqual({ 'core/total': removing, 'core/find': null })
  const [only, ...others] = await suggested()
  expect([only?.anchor, others]).toEqual(['lib/sums.ts#sumOf', []])
  expect(only?.similarity).toBeGreaterThanOrEqual(0.6)
  expect(only?.similarity).toBeLessThan(1)
  git.commit({ 'lib/sums.ts': null })
  await repository.index()
  expect(await suggested()).toEqual([])
  git.commit({ 'src/store.ts': sources['src/store.ts'] })
  await repository.index()
  expect(await stale(id)).toEqual({ 'core/total': null, 'core/find': null })
  await verified()
})
