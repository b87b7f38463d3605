import { readServiceFacts } from '@crewhall/services/facts.ts'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { assignDesk, findHiredDesk, orderHiredDesk, renewDesk, unassignDesk } from '#modules/fleet'
import { type BrandCtx, systemCtx } from '#platform/ctx/ctx.ts'
import { loadConfig } from '../../../config.ts'
import { createParts, type Parts } from '../../../parts.ts'
import { releaseDesk } from '../desks/desks.service.ts'

let database: TestDatabase
let parts: Parts
let admin: pg.Client
let ctx: BrandCtx

beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  const env = { DATABASE_URL: database.url, REDIS_URL: readServiceFacts().redis.url, LOG_LEVEL: 'silent' }
  parts = await createParts(loadConfig(env), 'api')
  admin = new pg.Client({ connectionString: database.url, options: '-c app.system=on' })
  await admin.connect()
  const { rows } = await admin.query<{ id: number }>(
    `insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{}') returning id`,
  )
  ctx = systemCtx(parts.ctx, parts.log, { kind: 'system', name: 'test' }).forBrand(rows[0]?.id ?? 0)
})
afterAll(async () => {
  await parts.close()
  await admin.end()
  await database.drop()
})

const project_id = '3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f'
const order = (project_id: string | null = null) =>
  ctx.tx((ctx) => orderHiredDesk(ctx, { name: 'Builder', runtime: 'codex', project_id }))

async function column<T>(sql: string, id: string): Promise<T[]> {
  const { rows } = await admin.query<{ value: T }>(sql, [id])
  return rows.map(({ value }) => value)
}
const revision = async (id: string) => (await findHiredDesk(ctx, id))?.revision
const audited = (id: string) =>
  column<string>(
    `select action as value from platform.audit_entries where target = 'desk:' || $1 order by created_at, id`,
    id,
  )
const told = (id: string) =>
  column<string>(
    'select type as value from platform.workspace_events where subject_id = $1 order by created_at, id',
    id,
  )

test('HIRE-19, HIRE-G6: a desk of a hire is ordered whatever the plan allows, with its repository and no join secret', async () => {
  await admin.query('update identity.plans set desk_cap = 0')
  const id = await order(project_id)
  expect(await findHiredDesk(ctx, id)).toMatchObject({ agent_id: null, project_id, revision: 0 })
  expect(await column('select desk_id as value from fleet.join_secrets where desk_id = $1', id)).toEqual([])
  expect([await audited(id), await told(id)]).toEqual([['desk.ordered'], ['desk.ordered']])
})

test('an agent comes to a desk and leaves it, and each time the desk hears of it once', async () => {
  const id = await order()
  const assign = (agent_id: string, project: string | null = null) =>
    ctx.tx((ctx) => assignDesk(ctx, id, agent_id, project))
  expect([await assign('builder'), await assign('builder'), await revision(id)]).toEqual([true, true, 1])
  // The repository was found later, and a look that finds none does not take it away.
  await assign('builder', project_id)
  await assign('builder')
  expect(await findHiredDesk(ctx, id)).toMatchObject({ agent_id: 'builder', project_id, revision: 2 })
  expect(await ctx.tx((ctx) => renewDesk(ctx, id))).toBe(true)
  await ctx.tx((ctx) => unassignDesk(ctx, id))
  await ctx.tx((ctx) => unassignDesk(ctx, id))
  expect(await findHiredDesk(ctx, id)).toMatchObject({ agent_id: null, project_id, revision: 4 })
  expect(await ctx.tx((ctx) => renewDesk(ctx, id))).toBe(false)
  const assigned = ['desk.assigned', 'desk.assigned', 'desk.assigned']
  expect(await audited(id)).toEqual(['desk.ordered', ...assigned])
})

test('a person who gave the desk other memories keeps them when the agent leaves', async () => {
  const id = await order()
  const memories = 'select agent_id as value from fleet.desks where id = $1'
  await ctx.tx((ctx) => assignDesk(ctx, id, 'builder'))
  expect(await column(memories, id)).toEqual(['builder'])
  await admin.query(`update fleet.desks set agent_id = 'mine' where id = $1`, [id])
  await ctx.tx((ctx) => unassignDesk(ctx, id))
  expect(await column(memories, id)).toEqual(['mine'])
})

test('a released desk is found by nobody, and takes no agent', async () => {
  const id = await order()
  await releaseDesk(ctx, id)
  expect(await findHiredDesk(ctx, id)).toBeUndefined()
  expect(await ctx.tx((ctx) => assignDesk(ctx, id, 'builder'))).toBe(false)
  await ctx.tx((ctx) => unassignDesk(ctx, id))
})
