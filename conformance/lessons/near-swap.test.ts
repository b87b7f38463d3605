import { scaled } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { type Near, ReadingWorkspace } from './reading-world.ts'

const server = useSharedServer('probe')
const calls = scaled(500, 150)

/** What publishing an index does in one transaction, past the API: a file leaves, its lessons and the version go with it. */
async function show(admin: pg.Client, of: { brand_id: number; project_id: string }, isMoved: boolean) {
  const { brand_id, project_id } = of
  const values = [brand_id, project_id, isMoved]
  await admin.query('begin')
  await admin.query(
    `update code_index.nodes n set path = case when $3 then 'lib/' else 'src/' end || split_part(n.path, '/', 2),
       parent_nid = p.nid
     from code_index.nodes p where n.brand_id = $1 and n.project_id = $2 and n.kind = 1 and n.path like '%/moving%.ts'
       and p.brand_id = $1 and p.project_id = $2 and p.kind = 0 and p.path = case when $3 then 'lib' else 'src' end`,
    values,
  )
  await admin.query(
    `delete from lessons.anchor_ups u using lessons.lessons l
     where u.brand_id = $1 and l.brand_id = $1 and l.id = u.lesson_id and l.project_id = $2`,
    [brand_id, project_id],
  )
  await admin.query(
    `insert into lessons.anchor_ups (brand_id, lesson_id, nid, dist, is_pinned, created_at)
     select l.brand_id, l.id, u.nid, u.dist, l.is_pinned, l.created_at
     from lessons.lessons l cross join lateral lessons.true_ups(l.brand_id, l.id) u
     where l.brand_id = $1 and l.project_id = $2`,
    [brand_id, project_id],
  )
  await admin.query(
    `with shown as (
       update code_index.indexes set version = version + 1 where brand_id = $1 and project_id = $2 returning version)
     update lessons.states s set index_version = shown.version from shown
     where s.brand_id = $1 and s.project_id = $2`,
    [brand_id, project_id],
  )
  await admin.query('commit')
}

/** Old and new index of one project, which become visible in turn. */
async function swapped() {
  const admin = await server.connection('superuser')
  const work = await ReadingWorkspace.open(server, admin)
  const moving = Array.from({ length: 8 }, (_, n) => `src/moving${n}.ts`)
  const { id, node } = await work.indexed(['src/main.ts', 'lib/base.ts', ...moving])
  for (const [n, place] of moving.entries()) await work.lesson(id, `swap/n${n}`, { anchors: [place] })
  const of = { brand_id: work.brand_id, project_id: id }
  return { work, project_id: id, folder: node('src/'), show: (isMoved: boolean) => show(admin, of, isMoved) }
}

type Read = (of: Awaited<ReturnType<typeof swapped>>) => Promise<unknown>
const shape = (reached_nodes: number, lessons: number) => ({ reached_nodes, lessons })

/**
 * An index becomes visible again and again while 8 callers read. Counts answers that are neither the old nor the new one.
 * A twin goes on until it has given one, for ten times the calls at most.
 */
async function swapping(read: Read, { isTwin }: { isTwin: boolean }) {
  const of = await swapped()
  const told = async () => JSON.stringify(await read(of))
  const old = await told()
  await of.show(true)
  const next = await told()
  const seen = { old: 0, new: 0, given_up: 0, mixed: 0 }
  let [done, isMoved] = [0, true]
  const goesOn = () => (isTwin ? seen.mixed === 0 && done < 10 * calls : done < calls)
  const note = (text: string) => {
    // On a busy machine five indexes may become visible during one call, which then says that it has none to show.
    if (text.includes('"degraded":"code_index_unavailable"')) seen.given_up += 1
    else seen[text === old ? 'old' : text === next ? 'new' : 'mixed'] += 1
  }
  const caller = async () => {
    while (goesOn()) {
      done += 1
      note(await told())
    }
  }
  const publisher = async () => {
    while (goesOn()) {
      isMoved = !isMoved
      await of.show(isMoved)
      // Not faster than somebody can read: after some tries near gives up.
      for (let n = 0; n < 3; n += 1) note(await told())
    }
  }
  await Promise.all([publisher(), ...Array.from({ length: 8 }, caller)])
  return { old, next, seen }
}

// The folder gives everything under it; what the walk reaches tells where the index has its files.
const down = { depth: 1, kinds: ['contains'], direction: 'out' }

test(`IDX-08 LES-45: an index becomes visible again and again during ${calls} calls of near, and no answer mixes two`, async () => {
  const { old, next, seen } = await swapping(
    async ({ work, project_id, folder }) =>
      (await work.near(project_id, { node_ids: [folder], ...down })).body,
    { isTwin: false },
  )
  const shapeOf = ({ reached_nodes, entries }: Near) => shape(reached_nodes, entries.length)
  expect([shapeOf(JSON.parse(old)), shapeOf(JSON.parse(next))]).toEqual([shape(10, 8), shape(2, 0)])
  expect(seen.mixed).toBe(0)
  expect(Math.min(seen.old, seen.new)).toBeGreaterThan(0)
})

test('the naive twin, which reads lessons whatever their index is, mixes two', async () => {
  const { old, next, seen } = await swapping(
    async ({ work, project_id, folder: node_id }) =>
      (await work.call('POST', '/probe/naive/near', { project_id, node_id })).body,
    { isTwin: true },
  )
  expect([JSON.parse(old), JSON.parse(next)]).toEqual([shape(10, 8), shape(2, 0)])
  expect(seen.mixed).toBeGreaterThan(0)
})
