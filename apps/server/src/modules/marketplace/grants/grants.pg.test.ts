import { randomUUID } from 'node:crypto'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '#platform/clock/clock.ts'
import { type OutsideBrandCtx, systemCtx } from '#platform/ctx/ctx.ts'
import { WakeUps } from '#platform/events/wake-ups.ts'
import { EpochValues } from '#platform/redis/epoch-values.ts'
import { createRedis } from '#platform/redis/redis.ts'
import { NaiveGrants } from '../../../../test/naive-grants.ts'
import { loadConfig } from '../../../config.ts'
import { createParts, type Parts } from '../../../parts.ts'
import { grantOne, installOne, switchOne, uninstallOne } from '../installs/installs.service.ts'
import type { InstallDeps } from '../installs/listing.service.ts'
import { releaseReferences, takeReferences } from '../references/references.service.ts'
import { createGrants, type Grants, type OwnedGrants } from './grants.service.ts'

/** As processes are: each has connections and a cache of its own. */
interface Process {
  readonly parts: Parts
  readonly grants: OwnedGrants
  readonly ctx: OutsideBrandCtx
  readonly close: () => Promise<void>
}

const agent_id = 'builder'
const redisUrl = readServiceFacts().redis.url
let database: TestDatabase
let admin: pg.Client
let brand: number
let offsetMs = 0
const clock = { now: () => new Date(systemClock.now().getTime() + offsetMs) }
const processes: Process[] = []
let writer: Process
let reader: Process
/** One that no wake-up reaches. */
let deaf: Process
/** One without a database. */
let cut: Process
/** One without Redis. */
let alone: Process
let deps: InstallDeps

async function start(more: Record<string, string> = {}, channel?: string): Promise<Process> {
  const env = { DATABASE_URL: database.url, REDIS_URL: redisUrl, REDIS_PREFIX: `${database.name}:` }
  const parts = await createParts(loadConfig({ ...env, LOG_LEVEL: 'silent', ...more }), 'worker')
  const { redis, log, secret_box } = parts
  const open = () => createRedis({ url: redisUrl, prefix: '', command_timeout_ms: 1000 }, log)
  const wake_ups = channel ? new WakeUps({ publisher: redis, connect: open, channel, log }) : parts.wake_ups
  const grants = createGrants({ shared: new EpochValues(redis, 'grants'), wake_ups, secret_box })
  parts.listeners.push(grants.listener)
  const ctx = systemCtx({ ...parts.ctx, clock }, log, { kind: 'system', name: 'test' }).forBrand(brand)
  const close = async () => {
    grants.close()
    wake_ups.close()
    await parts.close()
  }
  const made = { parts, grants, ctx, close }
  processes.push(made)
  return made
}

beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  admin = await connect(database, 'superuser')
  const { rows } = await admin.query<{ id: number }>(
    `insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{}') returning id`,
  )
  brand = rows[0]?.id ?? 0
  await admin.query(`insert into identity.agents (brand_id, agent_id, name) values ($1, $2, 'B')`, [
    brand,
    agent_id,
  ])
  const nowhere = `127.0.0.1:${await freePort()}`
  writer = await start()
  reader = await start()
  deaf = await start({}, `nobody-${randomUUID()}`)
  cut = await start({ DATABASE_URL: `postgres://nobody@${nowhere}/nothing` })
  alone = await start({ REDIS_URL: `redis://${nowhere}` })
  deps = {
    secret_box: writer.parts.secret_box,
    listTools: () => Promise.reject(new Error('nothing here has a server')),
  }
  // The line of a new listener stands when something has come through it.
  let heard = false
  const forget = reader.parts.wake_ups.listen(['line'], () => {
    heard = true
  })
  await waitFor(() => {
    writer.parts.wake_ups.tell('line')
    return heard
  }, 10_000)
  forget()
})
afterAll(async () => {
  for (const { close } of processes) await close()
  await admin.end()
  await database.drop()
})

const pinned = { tools: [], digest: '' }
const install = (package_key: string, version = '1.0.0') =>
  installOne(writer.ctx, deps, { package_key }, { version, ...pinned })
const grant = (id: string, ...agent_ids: string[]) => grantOne(writer.ctx, id, { everyone: false, agent_ids })
const keysOf = async (process: Process, grants: Grants = process.grants, agent: string | null = agent_id) =>
  (await grants.of(process.ctx, { brand_id: brand, agent_id: agent })).map(({ package_key }) => package_key)
const soon = (keys: readonly string[], of = () => keysOf(reader)) =>
  waitFor(async () => JSON.stringify(await of()) === JSON.stringify(keys), 1000)
const movedBy = async <T>(ms: number, work: () => Promise<T>): Promise<T> => {
  offsetMs += ms
  return work()
}

describe('what an agent may use', () => {
  test('follows every change within a second, in another process that has remembered it', async () => {
    const { id } = await install('lessons')
    await soon([])
    await grant(id, agent_id)
    await soon(['lessons'])
    expect(await keysOf(reader, reader.grants, 'another')).toEqual([])
    expect(await keysOf(reader, reader.grants, null)).toEqual([])
    await switchOne(writer.ctx, id, false)
    await soon([])
    await switchOne(writer.ctx, id, true)
    await soon(['lessons'])
    await grantOne(writer.ctx, id, { everyone: true, agent_ids: [] })
    await soon(['lessons'], () => keysOf(reader, reader.grants, null))
    await grant(id)
    await soon([])
    const hire_id = randomUUID()
    await writer.ctx.tx((ctx) => takeReferences(ctx, { hire_id, agent_id }, ['lessons'], []))
    await soon(['lessons'])
    await writer.ctx.tx((ctx) => releaseReferences(ctx, hire_id))
    await soon([])
    await grant(id, agent_id)
    await soon(['lessons'])
    await uninstallOne(writer.ctx, id)
    await soon([])
  })

  test('without Redis is read from the database', async () => {
    const { id } = await install('desks')
    await grant(id, agent_id)
    expect(await keysOf(alone)).toEqual(['desks'])
    await grant(id)
    // Nobody tells it, so it may be wrong for as long as an entry lives, and no longer.
    expect(await movedBy(60_000, () => keysOf(alone))).toEqual([])
    await uninstallOne(writer.ctx, id)
  })

  test('ends with the version when that is withdrawn, in every workspace', async () => {
    await admin.query(
      `insert into marketplace.packages (key, kind, title, description, publisher)
       values ('odd', 'builtin', 'O', 'O', 'O')`,
    )
    await admin.query(
      `insert into marketplace.package_versions (package_key, version, touches, methods)
       values ('odd', '1.0.0', '{}', '[]')`,
    )
    const { id } = await install('odd')
    await grant(id, agent_id)
    await soon(['odd'])
    await admin.query(
      `update marketplace.package_versions set withdrawn_at = now() where package_key = 'odd'`,
    )
    writer.grants.changedEverywhere()
    await soon([])
    await uninstallOne(writer.ctx, id)
  })
})

const rounds = roundsFor(200, 0.5)
const readers = 8

/** Callers ask all the time while the grant is taken away; a second later none of them may have it. */
const revocations = (grants: Grants, isTwin = false) =>
  race<string>({
    rounds,
    isTwin,
    clients: readers + 1,
    async setup(round) {
      const { id } = await install(round % 2 ? 'memory' : 'profiles')
      await grant(id, agent_id)
      return id
    },
    async act(id, client) {
      if (client === 0) return grant(id)
      for (let times = 0; times < 10; times += 1) await keysOf(reader, grants)
      return undefined
    },
    async verdict(id) {
      const fault = await waitFor(async () => (await keysOf(reader, grants)).length === 0, 1000).then(
        () => undefined,
        () => 'still granted after a second',
      )
      // And nothing brings it back: neither a read that was under way nor the copy that processes share.
      const isBack = fault === undefined && (await keysOf(reader)).length + (await keysOf(writer)).length > 0
      await uninstallOne(writer.ctx, id)
      offsetMs += 60_000
      return isBack ? 'granted again' : fault
    },
  })

test(`a grant that is taken away is gone within a second, ${rounds} rounds with ${readers} callers`, async () => {
  expect(await revocations(reader.grants)).toEqual({ rounds, wrong: 0, examples: [] })
})

test('the same race finds a twin that goes by age alone', async () => {
  expect((await revocations(new NaiveGrants(reader.grants), true)).wrong).toBeGreaterThan(0)
})

test(`where no wake-up arrives it is gone after 60 seconds, ${rounds} rounds`, async () => {
  const { id } = await install('workspace')
  for (let round = 0; round < rounds; round += 1) {
    await grant(id, agent_id)
    expect(await movedBy(60_000, () => keysOf(deaf))).toEqual(['workspace'])
    await grant(id)
    const age = 1 + ((round * 7919) % 59_000)
    await movedBy(age, () => keysOf(deaf))
    expect(await movedBy(60_000 - age, () => keysOf(deaf))).toEqual([])
  }
  await uninstallOne(writer.ctx, id)
})

test(`without a database what is younger than 60 seconds holds, and the rest is an outage, ${rounds} rounds`, async () => {
  const { id } = await install('workspace')
  await grant(id, agent_id)
  for (let round = 0; round < rounds; round += 1) {
    await movedBy(60_000, () => keysOf(reader))
    // What another process has read is shared. It is kept in the background.
    await waitFor(async () => (await keysOf(cut)).length === 1, 1000)
    expect(await movedBy(50_000, () => keysOf(cut))).toEqual(['workspace'])
    await expect(movedBy(10_000, () => keysOf(cut))).rejects.toMatchObject({ status: 503, part: 'database' })
  }
  await uninstallOne(writer.ctx, id)
})
