import { randomUUID } from 'node:crypto'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { type OutsideBrandCtx, type OutsideSystemCtx, systemCtx } from '#platform/ctx/ctx.ts'
import { partsOn } from '#platform/ctx/handles.ts'
import { loadConfig } from '../src/config.ts'
import { createParts, type Parts } from '../src/parts.ts'

/** A database with a workspace, an agent and a source, and contexts as the worker has them. */
export class ConversationBed {
  readonly database: TestDatabase
  readonly parts: Parts
  readonly admin: pg.Client
  readonly clock: VirtualClock
  readonly brand_id: number
  readonly system: OutsideSystemCtx
  readonly ctx: OutsideBrandCtx
  readonly agent_id = 'bot'

  constructor(database: TestDatabase, clock: VirtualClock, parts: Parts, admin: pg.Client, brand_id: number) {
    this.database = database
    this.clock = clock
    this.parts = parts
    this.admin = admin
    this.brand_id = brand_id
    this.system = systemCtx(partsOn(parts.ctx, 'memory'), parts.log, { kind: 'system', name: 'test' })
    this.ctx = this.system.forBrand(brand_id)
  }

  static async open(): Promise<ConversationBed> {
    const database = await cloneDatabase(templateName('product'))
    const clock = createVirtualClock(database.name)
    const env = { DATABASE_URL: database.url, REDIS_URL: readServiceFacts().redis.url, LOG_LEVEL: 'silent' }
    const parts = await createParts(loadConfig({ ...env, ...clock.env }), 'worker')
    const admin = await connect(database, 'superuser')
    const { rows } = await admin.query<{ id: number }>(
      `insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'business', '{}') returning id`,
    )
    const brand_id = rows[0]?.id ?? 0
    await admin.query(`insert into identity.agents (brand_id, agent_id, name) values ($1, 'bot', 'Bot')`, [
      brand_id,
    ])
    return new ConversationBed(database, clock, parts, admin, brand_id)
  }

  async newSource(): Promise<string> {
    const id = randomUUID()
    await this.admin.query(
      `insert into conversations.sources (brand_id, id, agent_id, source_type, config)
       values ($1, $2, $3, 'claude_code', '')`,
      [this.brand_id, id, this.agent_id],
    )
    return id
  }

  /** One that is read by itself, and is due. */
  async newReadSource(config: object = {}): Promise<string> {
    const id = randomUUID()
    await this.admin.query(
      `insert into conversations.sources (brand_id, id, agent_id, source_type, config, reader, next_read_at)
       values ($1, $2, $3, 'claude_code', $4, 'directory', platform.now())`,
      [
        this.brand_id,
        id,
        this.agent_id,
        this.parts.secret_box.seal(`conversation-source:${this.brand_id}:${id}`, JSON.stringify(config)),
      ],
    )
    return id
  }

  async close(): Promise<void> {
    await this.admin.end()
    await this.parts.close()
    await this.database.drop()
    this.clock.close()
  }
}
