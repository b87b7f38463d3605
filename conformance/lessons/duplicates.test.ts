import { startStandInModel } from '@crewhall/testkit/stand-in-model.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { lessonText, SyncedWorkspace } from './synced-world.ts'

const model = await startStandInModel()
const server = useServer('product', {
  EMBEDDINGS: 'url',
  EMBEDDINGS_URL: model.url,
  EMBEDDINGS_MODEL: 'bag-of-words',
  EMBEDDINGS_DIMENSIONS: '64',
})
let work: SyncedWorkspace
let project: string
beforeAll(async () => {
  await server.start('worker')
})
beforeEach(async () => {
  model.reset()
  work = await SyncedWorkspace.open(server)
  project = (await work.projects.add()).id
})
afterAll(() => model.close())

/** Words that share nothing with those of another number. */
const apart = (n: number) =>
  Array.from({ length: 12 }, (_, at) => `w${(n * 7919 + at * 104_729).toString(36)}x${n}y${at}`).join(' ')
const many = (count: number, from = 0) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`many/l${n + from}`, lessonText({ body: apart(n + from) })]),
  )
const alike =
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen'
const vectorless = async () => {
  const [row] = await work.world.sql<{ count: number }>(
    `select count(*)::int as count from lessons.lessons l where l.project_id = $1 and not exists (
       select from lessons.vectors v where v.brand_id = l.brand_id and v.lesson_id = l.id)`,
    [project],
  )
  return row?.count
}

test('LES-78 LES-79 LES-G22 a written lesson carries up to three that are like it, never itself or what is not live', async () => {
  const other = (await work.projects.add()).id
  const foreign = await SyncedWorkspace.open(server)
  await foreign.sync((await foreign.projects.add()).id, { 'x/foreign': lessonText({ body: alike }) })
  const first = await work.sync(project, {
    'a/one': lessonText({ body: `${alike} first` }),
    'a/retired': lessonText({ body: alike, more: 'retired: true' }),
    'a/far': lessonText({ body: apart(1) }),
  })
  expect(first).toMatchObject({ created: 3, duplicate_check: 'complete' })
  expect(first.files.map((file) => file.possible_duplicate_of)).toEqual([
    [],
    [expect.objectContaining({ id: 'a/one' })],
    [],
  ])
  await work.sync(other, {
    'b/two': lessonText({ body: `${alike} second` }),
    'b/three': lessonText({ body: `${alike} third` }),
  })
  const { files } = await work.sync(project, {
    'a/new': lessonText({ body: alike }),
    'a/four': lessonText({ body: `${alike} fourth` }),
  })
  const found = files[0]?.possible_duplicate_of ?? []
  expect(found).toHaveLength(3)
  for (const { id, path, similarity } of found) {
    expect(['a/one', 'a/four', 'b/two', 'b/three']).toContain(id)
    expect(path).toBe(`lessons/${id}.md`)
    expect(similarity).toBeGreaterThanOrEqual(0.9)
  }
  expect(found.map(({ similarity }) => similarity)).toEqual(
    found.map(({ similarity }) => similarity).sort((a, b) => b - a),
  )
  // Its own earlier version is none.
  await work.sync(project, { 'a/far': lessonText({ body: `${apart(1)} more` }) }).then(({ files }) => {
    expect(files[0]).toMatchObject({ outcome: 'changed', possible_duplicate_of: [] })
  })
})

test('LES-81 LES-82 25 lessons are compared, of more the first 25 and the check is truncated, of more than 200 none', async () => {
  const exact = await work.sync(project, many(25))
  expect([exact.duplicate_check, exact.files.filter((file) => file.possible_duplicate_of).length]).toEqual([
    'complete',
    25,
  ])
  const more = await work.sync(project, { ...many(26, 100) })
  expect([more.created, more.duplicate_check]).toEqual([26, 'truncated'])
  expect(more.files.map((file) => file.possible_duplicate_of !== undefined)).toEqual([
    ...Array(25).fill(true),
    false,
  ])
  model.reset()
  const tooMany = await work.sync(project, many(201, 1000))
  expect([tooMany.created, tooMany.duplicate_check]).toEqual([201, 'truncated'])
  expect(tooMany.files.filter((file) => file.possible_duplicate_of)).toEqual([])
  // Unchanged files count for nothing.
  const again = await work.sync(project, { ...many(201, 1000), 'a/one': lessonText({ body: apart(5000) }) })
  expect([again.unchanged, again.created, again.duplicate_check]).toEqual([201, 1, 'complete'])
})

test('LES-80 a model that fails stops no write, and vectors follow in the background', async () => {
  model.mode = 'error'
  const failed = await work.sync(project, { 'a/one': lessonText({ body: alike }) })
  expect([failed.created, failed.duplicate_check]).toEqual([1, 'unavailable'])
  expect(failed.files[0]).not.toHaveProperty('possible_duplicate_of')
  expect(await vectorless()).toBe(1)
  const truncated = await work.sync(project, many(26))
  expect([truncated.created, truncated.duplicate_check]).toEqual([26, 'truncated'])
  model.reset()
  await server.sql('update lessons.vector_queue set due_at = platform.now()')
  await waitFor(async () => {
    await server.sql('update lessons.vector_queue set due_at = platform.now() where attempts > 0')
    return (await vectorless()) === 0
  }, 90_000)
})

test('LES-75 a changed text gets another vector, and a changed state or pin none', async () => {
  await work.sync(project, { 'a/one': lessonText({ body: alike }) })
  const vectors = () =>
    work.world.sql<{ hash: string; vector: string }>(
      `select encode(v.text_hash, 'hex') as hash, v.vector::text from lessons.vectors v join lessons.lessons l
         on l.brand_id = v.brand_id and l.id = v.lesson_id where l.project_id = $1`,
      [project],
    )
  const before = await vectors()
  expect(before).toHaveLength(1)
  const pinned = await work.sync(project, { 'a/one': lessonText({ body: alike, more: 'pinned: true' }) })
  expect(pinned.changed).toBe(1)
  expect(await vectors()).toEqual(before)
  await work.sync(project, { 'a/one': lessonText({ body: apart(2) }) })
  const after = await vectors()
  expect(after).toHaveLength(1)
  expect(after).not.toEqual(before)
})
