import { randomUUID } from 'node:crypto'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import type { Draft, Origin } from '#modules/memory'
import type { PersonActor } from '#platform/ctx/actor.ts'
import { type BrandTx, type OutsideBrandCtx, systemCtx } from '#platform/ctx/ctx.ts'
import { loadConfig } from '../src/config.ts'
import { createParts, type Parts } from '../src/parts.ts'

const person: PersonActor = {
  kind: 'person',
  person_id: 7,
  name: 'Ann',
  is_staff: false,
  is_verified: true,
  credential: 'token',
  credential_id: randomUUID(),
  expires_at: '2099-01-01T00:00:00Z',
  brand_id: 1,
  role: 'admin',
  scopes: ['memory:read', 'memory:write'],
  agent: null,
  agent_id: null,
}

export interface StoredMemory {
  readonly id: string
  readonly title: string
  readonly body: string
  readonly status: string
  readonly confidence: number
  readonly is_locked: boolean
  readonly superseded_by: string | null
  readonly version: number
  readonly created_by: { readonly kind: string; readonly id: string; readonly name: string }
}

export const draft = (body: string, more: Partial<Draft> = {}): Draft => ({
  kind: 'fact',
  title: body.slice(0, 80),
  body,
  description: null,
  tags: [],
  importance: 'normal',
  confidence: 0.8,
  ...more,
})

/** A workspace in a database of its own, where a person and automation write memories through the product's services. */
export class AutomationBed {
  readonly automation: OutsideBrandCtx
  readonly person: OutsideBrandCtx
  readonly parts: Parts
  readonly admin: pg.Client
  readonly source_id = randomUUID()
  readonly #database: TestDatabase

  private constructor(parts: Parts, admin: pg.Client, database: TestDatabase, brand_id: number) {
    const system = systemCtx(parts.ctx, parts.log, { kind: 'system', name: 'test' })
    this.automation = system.forBrand(brand_id)
    this.person = system.as(person).forBrand(brand_id)
    this.parts = parts
    this.admin = admin
    this.#database = database
  }

  static async open(env: Readonly<Record<string, string>> = {}): Promise<AutomationBed> {
    const database = await cloneDatabase(templateName('product'))
    const of_services = {
      DATABASE_URL: database.url,
      REDIS_URL: readServiceFacts().redis.url,
      LOG_LEVEL: 'silent',
    }
    const parts = await createParts(loadConfig({ ...of_services, ...env }), 'worker')
    const admin = await connect(database, 'superuser')
    const { rows } = await admin.query<{ id: number }>(
      `insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{}') returning id`,
    )
    return new AutomationBed(parts, admin, database, rows[0]?.id ?? 0)
  }

  async close(): Promise<void> {
    await this.admin.end()
    await this.parts.close()
    await this.#database.drop()
  }

  /** Each test has one of its own. */
  async newAgent(): Promise<string> {
    const agent_id = `bot-${randomUUID()}`
    await this.admin.query('insert into identity.agents (brand_id, agent_id, name) values ($1, $2, $2)', [
      this.automation.brandId,
      agent_id,
    ])
    return agent_id
  }

  /** Of a conversation of its own, unless one is named. */
  origin(conversation_id: string = randomUUID(), quote = 'as it was said'): Origin {
    const { source_id } = this
    const from = {
      source_id,
      source_type: 'claude_code',
      message_seqs: [1],
      model: 'stub',
      prompt_version: 1,
    }
    return { ...from, conversation_id, quote }
  }

  write<T>(work: (tx: BrandTx) => Promise<T>): Promise<T> {
    return this.automation.tx(work)
  }

  async memories(agent_id: string): Promise<StoredMemory[]> {
    const { rows } = await this.admin.query<StoredMemory>(
      `select id, title, body, status, confidence, is_locked, superseded_by, version, created_by from memory.memories
       where brand_id = $1 and agent_id = $2 order by id`,
      [this.automation.brandId, agent_id],
    )
    return rows
  }

  async proposals(agent_id: string): Promise<Record<string, unknown>[]> {
    const { rows } = await this.admin.query<Record<string, unknown>>(
      `select id, kind, reason, memory_id, other_memory_id, content, state from memory.proposals
       where brand_id = $1 and agent_id = $2 order by id`,
      [this.automation.brandId, agent_id],
    )
    return rows
  }

  async evidence(id: string): Promise<Record<string, unknown>[]> {
    const { rows } = await this.admin.query<Record<string, unknown>>(
      `select n, conversation_id, decision, other_memory_id, quote from memory.provenance
       where brand_id = $1 and memory_id = $2 order by n`,
      [this.automation.brandId, id],
    )
    return rows
  }
}
