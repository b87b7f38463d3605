import { randomUUID } from 'node:crypto'
import { seedIndex } from '@crewhall/testkit/seeded-index.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { NodeChange } from '#modules/code-index'
import { type BrandTx, systemCtx } from '#platform/ctx/ctx.ts'
import { CodeIndexBed } from '../../../../test/code-index-bed.ts'
import { linkFollower } from './follow.service.ts'
import { Linker } from './linker.service.ts'

let bed: CodeIndexBed
let project_id: string
beforeAll(async () => {
  bed = await CodeIndexBed.open()
  project_id = await bed.newProject()
  await seedIndex(bed.admin, { brand_id: bed.brand_id, project_id }, ['src/a.ts#Store', 'src/b.ts'], [])
  await bed.admin.query(`insert into identity.agents (brand_id, agent_id, name) values ($1, 'bot', 'Bot')`, [
    bed.brand_id,
  ])
})
afterAll(() => bed.close())

const look = () =>
  new Linker().look(systemCtx(bed.parts.ctx, bed.parts.log, { kind: 'system', name: 'test' }))
const tell = (ctx: BrandTx, changes: readonly NodeChange[]) =>
  linkFollower.nodesChanged(ctx, { project_id, version: 2, commit_id: 'c2' }, changes)

async function remember(body: string): Promise<string> {
  const id = randomUUID()
  await bed.admin.query(
    `insert into memory.memories (brand_id, id, agent_id, kind, title, body, text_hash, created_by, updated_by)
     values ($1, $2, 'bot', 'fact', 'T', $3, '', '{}', '{}')`,
    [bed.brand_id, id, body],
  )
  return id
}
async function linksOf(id: string) {
  const { rows } = await bed.admin.query<{ mention: string; path: string; removed_in: string | null }>(
    'select mention, path, removed_in from memory.code_links where memory_id = $1 order by mention',
    [id],
  )
  return rows.map(({ mention, path, removed_in }) => [mention, path, removed_in])
}
async function changeOf(path: string, change: NodeChange['change'], to = path): Promise<NodeChange> {
  const { rows } = await bed.admin.query<{ nid: number; id: string }>(
    `select nid, id from code_index.nodes where project_id = $1 and path = $2 and symbol = ''`,
    [project_id, path],
  )
  const { nid = 0, id: node_id = '' } = rows[0] ?? {}
  const places = { old_path: path, old_symbol: '', path: to, symbol: '' }
  return { version: 2, nid, node_id, kind: 'file', change, ...places, commit_id: 'c2', removed_step: 0 }
}

test('what a text does not name any more is unlinked, and what was removed stays marked', async () => {
  const id = await remember('src/a.ts, src/b.ts and `Store`')
  await look()
  expect(await linksOf(id)).toEqual([
    ['Store', 'src/a.ts', null],
    ['src/a.ts', 'src/a.ts', null],
    ['src/b.ts', 'src/b.ts', null],
  ])
  const moved = await changeOf('src/a.ts', 'moved', 'lib/a.ts')
  const removed = await changeOf('src/b.ts', 'removed')
  await bed.ctx.tx((ctx) => tell(ctx, [moved, removed]))
  await bed.admin.query(`update memory.memories set body = 'src/a.ts and src/b.ts' where id = $1`, [id])
  await look()
  expect(await linksOf(id)).toEqual([
    // Its code is there, so it keeps the link, whatever has its old place now.
    ['src/a.ts', 'lib/a.ts', null],
    // Something is at this place again.
    ['src/b.ts', 'src/b.ts', null],
  ])
})

test('no link is made to code that an index takes out at the same time', async () => {
  const id = await remember('src/b.ts')
  const removed = await changeOf('src/b.ts', 'removed')
  let looking: Promise<void> | undefined
  await bed.ctx.tx(async (ctx) => {
    await tell(ctx, [removed])
    // It finds the file, which is there until the commit, and has to wait before it writes.
    looking = look()
    await waitFor(async () => {
      const { rows } = await bed.admin.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      return rows.length > 0
    }, 20_000)
    await bed.admin.query(
      `update code_index.nodes set is_live = false, removed_in = 'c2', parent_nid = null where brand_id = $1 and nid = $2`,
      [bed.brand_id, removed.nid],
    )
  })
  await looking
  await look()
  expect(await linksOf(id)).toEqual([])
  const { rows } = await bed.admin.query('select from memory.code_link_queue where memory_id = $1', [id])
  expect(rows).toEqual([])
})

test('after an index has become visible, all memories that name something new are looked at, in bites', async () => {
  const ids: string[] = []
  for (let n = 0; n < 120; n += 1) ids.push(await remember(`src/late.ts and ${n}`))
  await look()
  for (const id of ids.slice(0, 3)) expect(await linksOf(id)).toEqual([])
  const late = await bed.newProject()
  await seedIndex(bed.admin, { brand_id: bed.brand_id, project_id: late }, ['src/late.ts'], [])
  await bed.ctx.tx(async (ctx) => {
    await linkFollower.indexShown?.(ctx, { project_id: late, version: 1, commit_id: 'c1' })
  })
  await look()
  for (const id of ids) expect(await linksOf(id)).toEqual([['src/late.ts', 'src/late.ts', null]])
})
