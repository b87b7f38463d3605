import { scaled } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { type Near, ReadingWorkspace } from './reading-world.ts'

const server = useSharedServer('product')
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

test(`IDX-08 LES-45: an index becomes visible again and again during ${calls} calls of near, and no answer mixes two`, {
  timeout: 300_000,
}, async () => {
  const admin = await server.connection('superuser')
  const work = await ReadingWorkspace.open(server, admin)
  const moving = Array.from({ length: 8 }, (_, n) => `src/moving${n}.ts`)
  const { id, node } = await work.indexed(['src/main.ts', 'lib/base.ts', ...moving])
  for (const [n, place] of moving.entries()) await work.lesson(id, `swap/n${n}`, { anchors: [place] })
  const of = { brand_id: work.brand_id, project_id: id }
  // The folders give everything under them; what the walk reaches tells where the index has its files.
  const query = { node_ids: [node('src/')], depth: 1, kinds: ['contains'], direction: 'out' }
  const read = async (): Promise<Near> => (await work.near(id, query)).body
  const before = await read()
  await show(admin, of, true)
  const after = await read()
  expect([before.entries.length, before.reached_nodes]).toEqual([8, 10])
  expect([after.entries.length, after.reached_nodes]).toEqual([0, 2])
  const [old, next] = [JSON.stringify(before), JSON.stringify(after)]
  let [done, isMoved] = [0, true]
  const seen = { old: 0, new: 0 }
  const caller = async () => {
    while (done < calls) {
      done += 1
      const told = JSON.stringify(await read())
      expect([old, next]).toContain(told)
      seen[told === old ? 'old' : 'new'] += 1
    }
  }
  const publisher = async () => {
    while (done < calls) {
      isMoved = !isMoved
      await show(admin, of, isMoved)
      // Not faster than somebody can read: after some tries near gives up.
      for (let n = 0; n < 3; n += 1) expect([old, next]).toContain(JSON.stringify(await read()))
    }
  }
  await Promise.all([publisher(), ...Array.from({ length: 8 }, caller)])
  expect(Math.min(seen.old, seen.new)).toBeGreaterThan(0)
})
