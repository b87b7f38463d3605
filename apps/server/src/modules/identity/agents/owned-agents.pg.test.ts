import { readServiceFacts } from '@crewhall/services/facts.ts'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { onlySentBy } from '@crewhall/testkit/sent-statements.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BrandTx, type OutsideBrandCtx, systemCtx } from '#platform/ctx/ctx.ts'
import { loadConfig } from '../../../config.ts'
import { createParts, type Parts } from '../../../parts.ts'
import { createAgent } from './agents.service.ts'
import { findAgent, holdAgent } from './owned-agents.service.ts'

let database: TestDatabase
let parts: Parts
let admin: pg.Client
let ctx: OutsideBrandCtx

beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  const env = { DATABASE_URL: database.url, REDIS_URL: readServiceFacts().redis.url, LOG_LEVEL: 'silent' }
  parts = await createParts(loadConfig(env), 'worker')
  admin = await connect(database, 'superuser')
  const { rows } = await admin.query<{ id: number }>(
    `insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{}'), ('B', 'free', '{}')
     returning id`,
  )
  const [own, foreign] = rows.map(({ id }) => id)
  await admin.query(`insert into identity.platform_agents (agent_id, name) values ('of-platform', 'P')`)
  await admin.query(
    `insert into identity.agents (brand_id, agent_id, name, status, retired_at)
     values ($1, 'own', 'Own', 'active', null), ($1, 'gone', 'Gone', 'retired', now()),
       ($2, 'foreign', 'Foreign', 'active', null), ($2, 'own', 'Of the other', 'retired', now())`,
    [own, foreign],
  )
  ctx = systemCtx(parts.ctx, parts.log, { kind: 'system', name: 'test' }).forBrand(own ?? 0)
})
afterAll(async () => {
  await admin.end()
  await parts.close()
  await database.drop()
})

const hold = (agent_id: string) => ctx.tx((ctx) => holdAgent(ctx, agent_id))
const refused = { status: 403, detail: 'This agent does not belong to the workspace' }

describe('the door', () => {
  test('finds an agent of the workspace, and what another workspace has under the same id does not matter', async () => {
    const facts = { agent_id: 'own', name: 'Own', status: 'active' }
    expect(await findAgent(ctx, 'own')).toEqual(facts)
    expect(await hold('own')).toEqual(facts)
  })

  test('finds a retired agent for reads, and refuses it for writes', async () => {
    expect(await findAgent(ctx, 'gone')).toMatchObject({ status: 'retired' })
    await expect(hold('gone')).rejects.toMatchObject({ status: 409, detail: 'The agent is retired' })
  })

  test.each(['unknown', 'foreign', 'of-platform', 'OWN', '', 'o%'])(
    'refuses %j as it refuses every other id that is not here',
    async (agent_id) => {
      await expect(findAgent(ctx, agent_id)).rejects.toMatchObject(refused)
      await expect(hold(agent_id)).rejects.toMatchObject(refused)
    },
  )

  test('sends one statement, the same for every id', () => {
    const sent = (agent_id: string) => [
      onlySentBy<OutsideBrandCtx>(1, (ctx) => findAgent(ctx, agent_id)).text,
      onlySentBy<BrandTx>(1, (ctx) => holdAgent(ctx, agent_id)).text,
    ]
    expect(new Set(['unknown', 'foreign', 'of-platform'].map((each) => sent(each).join()))).toHaveLength(1)
  })
})

test('a module that takes on an agent creates it as hired, in its own transaction', async () => {
  const hired = { agent_id: 'hired-one', name: 'Hired', origin: 'hired' as const }
  const attempt = ctx.tx(async (ctx) => {
    await createAgent(ctx, hired)
    throw new Error('taken back')
  })
  await expect(attempt).rejects.toThrow('taken back')
  await expect(findAgent(ctx, 'hired-one')).rejects.toMatchObject(refused)
  const made = await ctx.tx((ctx) => createAgent(ctx, hired))
  expect(made).toMatchObject({ ...hired, status: 'active', created_by: null })
  await expect(ctx.tx((ctx) => createAgent(ctx, hired))).rejects.toMatchObject({ status: 409 })
})

describe('the table', () => {
  test('leaves out an agent with an id of the platform, whoever inserts it', async () => {
    const { rowCount } = await admin.query(
      `insert into identity.agents (brand_id, agent_id, name) select id, 'of-platform', 'Mine' from identity.brands`,
    )
    expect(rowCount).toBe(0)
  })

  test.each(['', 'a b', 'a\n', 'ä', 'a.b', '٣', 'x'.repeat(256)])('refuses the id %j', async (id) => {
    const insert = admin.query(
      `insert into identity.agents (brand_id, agent_id, name) values ($1, $2, 'X')`,
      [ctx.brandId, id],
    )
    await expect(insert).rejects.toMatchObject({ constraint: 'agents_id_form' })
  })
})
