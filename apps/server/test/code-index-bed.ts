import { randomUUID } from 'node:crypto'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { type OutsideBrandCtx, systemCtx } from '#platform/ctx/ctx.ts'
import { loadConfig } from '../src/config.ts'
import { createParts, type Parts } from '../src/parts.ts'

/** A database with workspaces and projects, and contexts as the worker has them. */
export class CodeIndexBed {
  readonly database: TestDatabase
  readonly parts: Parts
  readonly admin: pg.Client
  readonly brand_id: number
  readonly ctx: OutsideBrandCtx

  private constructor(database: TestDatabase, parts: Parts, admin: pg.Client, brand_id: number) {
    this.database = database
    this.parts = parts
    this.admin = admin
    this.brand_id = brand_id
    this.ctx = this.in(brand_id)
  }

  static async open(env: Readonly<Record<string, string>> = {}): Promise<CodeIndexBed> {
    const database = await cloneDatabase(templateName('product'))
    const parts = await createParts(loadConfig({ ...bedEnv(database), ...env }), 'worker')
    const admin = await connect(database, 'superuser')
    return new CodeIndexBed(database, parts, admin, await addBrand(admin))
  }

  in(brand_id: number): OutsideBrandCtx {
    return systemCtx(this.parts.ctx, this.parts.log, { kind: 'system', name: 'test' }).forBrand(brand_id)
  }

  newBrand(): Promise<number> {
    return addBrand(this.admin)
  }

  async newProject(brand_id = this.brand_id): Promise<string> {
    const id = randomUUID()
    await this.admin.query(`insert into code_index.projects (brand_id, id, name) values ($1, $2, 'P')`, [
      brand_id,
      id,
    ])
    return id
  }

  async close(): Promise<void> {
    await this.admin.end()
    await this.parts.close()
    await this.database.drop()
  }
}

/** Also for a process of its own, which needs to find git. */
export const bedEnv = (database: TestDatabase) => ({
  PATH: process.env.PATH ?? '',
  DATABASE_URL: database.url,
  REDIS_URL: readServiceFacts().redis.url,
  LOG_LEVEL: 'silent',
})

async function addBrand(admin: pg.Client): Promise<number> {
  const { rows } = await admin.query<{ id: number }>(
    `insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'business', '{}') returning id`,
  )
  return rows[0]?.id ?? 0
}
