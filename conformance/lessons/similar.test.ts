import { bagOfWords, startStandInModel } from '@crewhall/testkit/stand-in-model.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { idsOf, ReadingWorkspace } from './reading-world.ts'

const model = await startStandInModel()
const dimension = 64
const server = useServer('product', {
  EMBEDDINGS: 'url',
  EMBEDDINGS_URL: model.url,
  EMBEDDINGS_MODEL: 'bag-of-words',
  EMBEDDINGS_DIMENSIONS: String(dimension),
})
let admin: pg.Client
let work: ReadingWorkspace
beforeAll(async () => {
  admin = await server.connection('superuser')
  work = await ReadingWorkspace.open(server, admin)
})
beforeEach(() => model.reset())
afterAll(() => model.close())

interface Similar {
  readonly matches: readonly {
    readonly id: string
    readonly path: string
    readonly similarity: number
    readonly type: string
    readonly pinned: boolean
  }[]
  readonly compared: number
  readonly without_embedding: number
  readonly degraded?: string
}
const similar = (body: object, of = work) => of.call<Similar>('POST', '/memory/entries:similar', body)

const unit = (text: string) => {
  const vector = bagOfWords(text, dimension)
  const length = Math.hypot(...vector)
  return JSON.stringify(vector.map((value) => value / length))
}
/** A lesson whose vector is there, as the job leaves it. */
async function embedded(
  of: ReadingWorkspace,
  project: string,
  slug: string,
  body: string,
  more: object = {},
) {
  const id = await of.lesson(project, slug, { body, ...more })
  await admin.query(
    `insert into lessons.vectors (brand_id, lesson_id, model, dimension, text_hash, vector)
     values ($1, $2, 'bag-of-words', $3, '', $4::halfvec)`,
    [of.brand_id, id, dimension, unit(body)],
  )
  await admin.query('delete from lessons.vector_queue where brand_id = $1 and lesson_id = $2', [
    of.brand_id,
    id,
  ])
  return id
}

const text = 'never retry a payment without its key'

test('LES-68 LES-73 LES-74 LES-75 LES-07 LES-G19: the most similar lessons, and exactly how many were compared', async () => {
  const of = await ReadingWorkspace.open(server, admin)
  const [one, two] = [await of.newProject(), await of.newProject()]
  await embedded(of, one, 'pay/b', text, { type: 'gotcha', pinned: true })
  await embedded(of, two, 'pay/a', text)
  await embedded(of, one, 'pay/near', `${text} and amount`)
  await embedded(of, one, 'pay/far', 'tables have a primary column')
  await embedded(of, one, 'pay/retired', text, { status: 'retired' })
  await of.lesson(one, 'pay/new', { body: text })
  const { status, body } = await similar({ text, k: 10, threshold: -1 }, of)
  expect(status).toBe(200)
  expect(Object.keys(body).sort()).toEqual(['compared', 'matches', 'without_embedding'])
  expect([body.compared, body.without_embedding]).toEqual([4, 1])
  expect(idsOf(body.matches)).toEqual(['pay/a', 'pay/b', 'pay/near', 'pay/far'])
  expect(body.matches[1]).toEqual({
    id: 'pay/b',
    path: 'lessons/pay/b.md',
    similarity: 1,
    type: 'gotcha',
    pinned: true,
  })
  expect((await similar({ text, k: 1 }, of)).body.matches).toHaveLength(1)
  expect(model.calls.embeddings).toBe(2)
  // What waits for a vector of its new text is not compared by that of the old one.
  await admin.query(`update lessons.lessons set body = 'other' where brand_id = $1 and slug = 'pay/far'`, [
    of.brand_id,
  ])
  expect((await similar({ text }, of)).body).toMatchObject({ compared: 3, without_embedding: 2 })
  // Vectors of another model are not comparable.
  await admin.query(`update lessons.vectors set model = 'another' where brand_id = $1`, [of.brand_id])
  expect((await similar({ text, threshold: -1 }, of)).body).toEqual({
    matches: [],
    compared: 0,
    without_embedding: 5,
  })
})

test('LES-70 LES-72: only the type that is asked for is compared; a similarity at the threshold counts', async () => {
  const of = await ReadingWorkspace.open(server, admin)
  const project = await of.newProject()
  await embedded(of, project, 'pay/rule', text)
  await embedded(of, project, 'pay/gotcha', `${text} and amount`, { type: 'gotcha' })
  const { body } = await similar({ text, type: 'gotcha', threshold: 0 }, of)
  expect([idsOf(body.matches), body.compared, body.without_embedding]).toEqual([['pay/gotcha'], 1, 0])
  const at = body.matches[0]?.similarity ?? 0
  expect(at).toBeLessThan(1)
  expect((await similar({ text, type: 'gotcha', threshold: at }, of)).body.matches).toHaveLength(1)
  expect((await similar({ text, type: 'gotcha', threshold: at + 0.001 }, of)).body.matches).toHaveLength(0)
  expect((await similar({ text, threshold: 1 }, of)).body.matches).toHaveLength(1)
})

test.each<[string, object]>([
  ['LES-69 no text', {}],
  ['LES-69 an empty text', { text: '' }],
  ['LES-G18 blanks', { text: ' \n ' }],
  ['LES-71 k 0', { text, k: 0 }],
  ['LES-71 k 11', { text, k: 11 }],
  ['LES-72 a threshold above 1', { text, threshold: 1.01 }],
  ['LES-72 a threshold below -1', { text, threshold: -1.01 }],
])('%s is 422', async (_, body) => {
  expect((await similar(body)).status).toBe(422)
})

test('LES-77: it writes nothing', async () => {
  const of = await ReadingWorkspace.open(server, admin)
  const project = await of.newProject()
  await embedded(of, project, 'pay/rule', text)
  const rows = async () =>
    (
      await admin.query(
        `select (select jsonb_agg(to_jsonb(l)) from lessons.lessons l where brand_id = $1) as lessons,
           (select count(*) from lessons.vectors where brand_id = $1) as vectors,
           (select count(*) from lessons.history where brand_id = $1) as history,
           (select count(*) from platform.workspace_events where brand_id = $1) as events`,
        [of.brand_id],
      )
    ).rows
  const before = await rows()
  await similar({ text }, of)
  expect(await rows()).toEqual(before)
})

// Last: then embeddings count as away for a while.
test('LES-76 LES-G20: without embeddings it is 200 with no matches and a reason', async () => {
  const of = await ReadingWorkspace.open(server, admin)
  const project = await of.newProject()
  await embedded(of, project, 'pay/rule', text)
  await of.lesson(project, 'pay/new')
  model.mode = 'error'
  expect(await similar({ text }, of)).toMatchObject({
    status: 200,
    body: { matches: [], compared: 0, without_embedding: 1, degraded: 'embedding_unavailable' },
  })
})
