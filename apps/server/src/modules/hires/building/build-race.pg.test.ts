import { randomUUID, randomUUIDv7 } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSteps } from '@crewhall/contracts/hires/hires.ts'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OutsideSystemCtx, systemCtx } from '#platform/ctx/ctx.ts'
import { directoriesOn } from '#platform/shared-files/directories.ts'
import { loadConfig } from '../../../config.ts'
import { createParts, type Parts } from '../../../parts.ts'
import { type BuildDeps, build } from './build.service.ts'
import { claimBuild, listLedger, updateStep } from './builds.store.ts'
import { type Made, works } from './steps.service.ts'

let database: TestDatabase
let parts: Parts
let admin: pg.Client
let ctx: OutsideSystemCtx
let deps: BuildDeps
const root = mkdtempSync(join(tmpdir(), 'crewhall-builds-'))
const profile_id = randomUUID()
const template = {
  coder_profile: 'claude.hard',
  scopes: ['brand:read'],
  packages: ['boards', 'memory'],
  memory_sources: [{ source_type: 'claude_code', directory: 'sessions' }],
  files: [{ name: 'PERSONA.md', content: 'who' }],
}

beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  const env = { DATABASE_URL: database.url, REDIS_URL: readServiceFacts().redis.url, LOG_LEVEL: 'silent' }
  parts = await createParts(loadConfig(env), 'worker')
  admin = new pg.Client({ connectionString: database.url, options: '-c app.system=on' })
  await admin.connect()
  await admin.query(
    `insert into hires.employees (profile_id, key, managed_by) values ($1, 'raced', 'operator')`,
    [profile_id],
  )
  await admin.query(
    `insert into hires.employee_versions
       (profile_id, version, name, title, summary, description, good_at, is_builder, template, published_at)
     values ($1, 1, 'Raced', 'T', 'S', 'D', '{}', false, $2, now())`,
    [profile_id, JSON.stringify(template)],
  )
  ctx = systemCtx(parts.ctx, parts.log, { kind: 'system', name: 'test' })
  const listTools = async () => ({ tools: [], digest: '' })
  const { secret_box } = parts
  deps = { secret_box, installs: { secret_box, listTools }, directories: directoriesOn(root) }
})
afterAll(async () => {
  await parts.close()
  await admin.end()
  await database.drop()
  rmSync(root, { recursive: true, force: true })
})

interface Ordered {
  readonly brand_id: number
  readonly hire_id: string
}

async function newHire(): Promise<Ordered> {
  const { rows } = await admin.query<{ id: number }>(
    `insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{brand:read}') returning id`,
  )
  const [brand_id, hire_id] = [rows[0]?.id ?? 0, randomUUIDv7()]
  await admin.query(
    `insert into hires.hires (brand_id, id, profile_id, version, is_grant, current_period_end, created_at)
     values ($1, $2, $3, 1, false, now(), now())`,
    [brand_id, hire_id, profile_id],
  )
  await admin.query(
    `insert into hires.build_steps (brand_id, hire_id, step, position)
     select $1, $2, step, position from unnest($3::text[]) with ordinality as given (step, position)`,
    [brand_id, hire_id, buildSteps],
  )
  return { brand_id, hire_id }
}

/** What there is more or less of than one hire needs. */
async function wrongWith({ brand_id, hire_id }: Ordered, events: number): Promise<string | undefined> {
  const { rows } = await admin.query<{ found: string }>(
    `select concat_ws(' ', (select status from hires.hires where id = $2),
       (select count(*) from identity.agents where brand_id = $1),
       (select count(*) from identity.memberships where brand_id = $1),
       (select count(*) from conversations.sources where brand_id = $1),
       (select count(*) from marketplace.install_refs where brand_id = $1),
       (select count(*) from hires.management_records where brand_id = $1),
       (select sum(attempts) from hires.build_steps where hire_id = $2),
       (select count(*) from platform.workspace_events where subject_id = $2::text)) as found`,
    [brand_id, hire_id],
  )
  const files = readdirSync(join(root, String(brand_id), 'hires')).join(' ')
  const found = `${rows[0]?.found} ${files}`
  const wanted = `active 1 1 1 2 1 7 ${events} ${hire_id}`
  return found === wanted ? undefined : `${found} instead of ${wanted}`
}

const clients = 6
const signal = new AbortController().signal
const rounds = roundsFor(50, 0.5)

test(`HIRE-G5: of ${clients} workers that build a hire at once, ${rounds} times, all together build it once`, async () => {
  const result = await race<Ordered>({
    rounds,
    clients,
    setup: newHire,
    act: (order) => build(ctx, deps, order, { signal }),
    verdict: (order) => wrongWith(order, buildSteps.length + 1),
  })
  expect(result).toEqual({ rounds, wrong: 0, examples: [] })
}, 120_000)

/** Looks into the ledger and goes on where it ends, but nobody asks whose the hire is. */
async function buildNaively({ brand_id, hire_id }: Ordered): Promise<void> {
  const brand = ctx.forBrand(brand_id)
  const row = await claimBuild(brand, hire_id, null)
  if (!row) return
  let made: Made = {}
  for (const step of buildSteps) {
    const noted = (await listLedger(brand, hire_id)).find((each) => each.step === step)
    if (noted?.status === 'pending') {
      const commit = await works[step](brand, deps, { ...row, template, made })
      await brand.tx((ctx) =>
        commit(ctx, {
          hold: async () => {},
          async settle(outcome) {
            const given = outcome.status === 'done' ? outcome.made : undefined
            made = { ...made, ...(given ? { [step]: given } : {}) }
            await updateStep(ctx, { id: hire_id, step, status: outcome.status, reason: null, made: given })
          },
        }),
      )
    } else made = { ...made, ...(noted?.made ? { [step]: noted.made } : {}) }
  }
}

test('workers that only look into the ledger build parts of it twice', async () => {
  const { wrong } = await race<Ordered>({
    rounds,
    isTwin: true,
    clients,
    setup: newHire,
    act: buildNaively,
    // It tells of the end alone.
    verdict: (order) => wrongWith(order, 1),
  })
  expect(wrong).toBeGreaterThan(0)
}, 120_000)
