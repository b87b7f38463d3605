import { allJobs } from '@crewhall/contracts/jobs.ts'
import {
  type AnyRoute,
  type Auth,
  anyone,
  platformAdmin,
  route,
  session,
  sessionOrAdmin,
  token,
} from '@crewhall/contracts/route.ts'
import { allRoutes, routes } from '@crewhall/contracts/routes.ts'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Bound } from '#platform/bulkheads/bound.ts'
import { madeStatements } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import { ClientBounds } from '#platform/http/limits/client-bounds.ts'
import { Deadlines } from '#platform/http/limits/deadlines.ts'
import { RateLimits } from '#platform/http/limits/rate-limits.ts'
import { EventStreams } from '#platform/http/response/event-streams.ts'
import { type MountOptions, mount } from '#platform/http/serving/mount.ts'
import { createKeyedDigests } from '#platform/secrets/keyed-digests.ts'
import { loadConfig } from '../src/config.ts'
import { createModules, type Modules } from '../src/modules.ts'
import { createParts, type Parts } from '../src/parts.ts'
import { probeJobs, probeRoutes } from './probe/probe.contract.ts'
import { createProbeModules } from './probe/probe.module.ts'

let parts: Parts
const made: Modules[] = []
const build = (create: (parts: Parts) => Modules) => {
  const modules = create(parts)
  made.push(modules)
  return modules
}

beforeAll(async () => {
  const { postgres, redis } = readServiceFacts()
  const config = loadConfig({ DATABASE_URL: postgres.url, REDIS_URL: redis.url, LOG_LEVEL: 'silent' })
  parts = await createParts(config, 'api')
})
afterAll(async () => {
  for (const modules of made) await modules.close()
  await parts.close()
})

const duplicates = (names: readonly string[]) => names.filter((name, at) => names.indexOf(name) !== at)
const idsOf = (specs: readonly AnyRoute[]) => specs.map(({ id }) => id).sort()
const allProbeRoutes: readonly AnyRoute[] = Object.values(probeRoutes.probe)

describe.each([
  { name: 'the product', create: createModules, contracts: allRoutes, jobs: allJobs },
  {
    name: 'the probe',
    create: createProbeModules,
    contracts: [...allRoutes, ...allProbeRoutes],
    jobs: [...allJobs, ...probeJobs],
  },
])('$name', ({ create, contracts, jobs }) => {
  test('mounts every contract once, and nothing that is no contract', () => {
    const mounted = build(create).routes.map(({ spec }) => spec)
    expect(idsOf(mounted)).toEqual(idsOf(contracts))
    for (const spec of mounted) expect(contracts).toContain(spec)
  })

  test('registers every job once, and nothing that is no job', () => {
    const registered = build(create).jobs.map(({ spec }) => spec)
    expect(registered.map(({ name }) => name).sort()).toEqual(jobs.map(({ name }) => name).sort())
    for (const spec of registered) expect(jobs).toContain(spec)
  })

  test('has no id, no job name and no method of a path twice', () => {
    expect(contracts.length).toBeGreaterThan(0)
    expect(duplicates(idsOf(contracts))).toEqual([])
    expect(duplicates(jobs.map(({ name }) => name))).toEqual([])
    // The name of a parameter does not tell two paths apart.
    const places = contracts.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`)
    expect(duplicates(places)).toEqual([])
  })
})

test.each(Object.entries({ ...routes, ...probeRoutes }))(
  'contracts of %s are named after their place',
  (module, specs) => {
    const named = Object.entries(specs).map(([key, spec]) => [`${module}.${key}`, (spec as AnyRoute).id])
    expect(named.length).toBeGreaterThan(0)
    for (const [place, id] of named) expect(id).toBe(place)
  },
)

test('jobs are named after their module', () => {
  for (const { name } of [...allJobs, ...probeJobs]) expect(name).toMatch(/^[a-z][a-z-]*\.[a-z][a-z-]*$/)
})

test('every value in a path has a schema, and every schema of a path a value', () => {
  for (const { path, params } of [...allRoutes, ...allProbeRoutes]) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    expect([path, Object.keys((params as z.ZodObject | undefined)?.shape ?? {})]).toEqual([path, inPath])
  }
})

describe('a route that asks for a credential', () => {
  const deadlines = new Deadlines()
  const isClosing = () => false
  const mountWith = (auth: Auth, authenticate: MountOptions['authenticate']) => {
    const spec = route({
      id: 'planted.read',
      method: 'GET',
      path: '/api/v1/planted',
      summary: 'Planted',
      auth,
      responses: { 200: z.object({}) },
    })
    const options = {
      ctx: parts.ctx,
      authenticate,
      deadline_ms: 1000,
      body_limit_bytes: 1024,
      request_digests: createKeyedDigests(parts.key_ring, 'idempotency-keys'),
      check_answers: true,
      deadlines,
      rate_limits: new RateLimits({ rate_limit_per_minute: 0, rate_limit_per_credential: 0 }),
      streams: new EventStreams({
        ctx: parts.ctx,
        authenticate,
        max_streams: 1,
        max_streams_per_workspace: 1,
        max_streams_per_caller: 1,
      }),
      isClosing,
      bounds: new ClientBounds(
        { trust_proxy: [], max_sockets: 1, max_sockets_per_network: 0, max_open_per_network: 0 },
        parts.metrics,
      ),
      uploads: new Bound({ places: 1, kept_free: 0 }),
      unshed: <T>(meanwhile: () => Promise<T>) => meanwhile(),
    }
    mount(
      Fastify(),
      handle(spec, () => ({})),
      options,
    )
  }
  const kinds = [token('memory:read'), session(), platformAdmin(), sessionOrAdmin()]

  test.each(kinds)('cannot be mounted without an authenticator: $kind', (auth) => {
    expect(() => mountWith(auth, undefined)).toThrow(/planted\.read asks for a credential/)
  })

  test.each([...kinds, anyone()])('can be mounted with one: $kind', (auth) => {
    expect(() => mountWith(auth, { authenticate: async (_spec, _request, ctx) => ctx })).not.toThrow()
  })
})

test('every statement can be written out, though a process writes only those that it runs', () => {
  expect(madeStatements.length).toBeGreaterThan(1000)
  for (const { sql } of madeStatements) expect(sql).toMatch(/\S/)
})
