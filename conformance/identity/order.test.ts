import { randomUUID } from 'node:crypto'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { type IssuedToken, type Member, World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, describe, expect, test } from 'vitest'

// The probe's route can be refused for every cause at once, so each cause can be set against each other one.

const server = useSharedServer('probe')
const at = new World(server)

/** In the published order. */
const order = [
  ['authenticate', 401, 'Not authenticated'],
  ['brand', 404, 'Brand not found'],
  ['scope', 403, 'Token lacks scope brand:admin; the workspace policy allows it'],
  ['role', 403, 'Brand admin access required'],
  ['type', 422, 'Content-Type must be application/json'],
  ['parse', 422, 'body: not valid JSON'],
  ['nul', 422, 'note: must not contain NUL or unpaired surrogates'],
  ['syntax', 422, 'name: is required'],
  ['object', 404, 'Thing not found'],
  ['state', 409, 'Thing is locked'],
] as const
type Cause = (typeof order)[number][0]
const causes = order.map(([cause]) => cause)

interface Side {
  readonly member: Member
  readonly scoped: IssuedToken
  readonly bare: IssuedToken
}
let admin: Side
let plain: Side
let other: number
const thing = { free: randomUUID(), locked: randomUUID(), lockedElsewhere: randomUUID() }

async function sideOf(brand: number, role: 'admin' | 'member'): Promise<Side> {
  const member = await at.join(brand, role)
  // The person belongs to the other workspace too: that must not matter.
  await at.join(other, 'admin', member.person_id)
  const [[scoped], [bare]] = [
    await at.newTokens(member, ['brand:admin'], 1),
    await at.newTokens(member, ['brand:read'], 1),
  ]
  if (!scoped || !bare) throw new Error('no token')
  return { member, scoped, bare }
}

beforeAll(async () => {
  const brand = await at.newBrand()
  other = await at.newBrand()
  admin = await sideOf(brand, 'admin')
  plain = await sideOf(brand, 'member')
  await at.sql(
    `insert into probe.things (brand_id, id, name, locked)
     values ($1, $3, 'free', false), ($1, $4, 'locked', true), ($2, $5, 'locked elsewhere', true)`,
    [brand, other, thing.free, thing.locked, thing.lockedElsewhere],
  )
})

function thingOf(failing: ReadonlySet<Cause>): string {
  if (failing.has('object')) return failing.has('state') ? thing.lockedElsewhere : randomUUID()
  return failing.has('state') ? thing.locked : thing.free
}

const bodyOf = (failing: ReadonlySet<Cause>): string => {
  if (failing.has('parse')) return '{"name":'
  const name = failing.has('syntax') ? {} : { name: 'renamed' }
  return JSON.stringify(failing.has('nul') ? { ...name, note: 'a\0' } : name)
}

async function ask(failing: ReadonlySet<Cause>, dead = 'chp_nobody'): Promise<[number, unknown]> {
  const side = failing.has('role') ? plain : admin
  const { token } = failing.has('scope') ? side.bare : side.scoped
  const brand = failing.has('brand') ? other : side.member.brand_id
  const response = await server.get(`/api/v1/probe/auth/brands/${brand}/things/${thingOf(failing)}`, {
    method: 'PUT',
    headers: {
      'content-type': failing.has('type') ? 'text/plain' : 'application/json',
      authorization: `Bearer ${failing.has('authenticate') ? dead : token}`,
    },
    body: bodyOf(failing),
  })
  return [response.status, ((await response.json()) as { detail?: unknown }).detail]
}

const firstOf = (failing: ReadonlySet<Cause>) => {
  const [, status, detail] = order.find(([cause]) => failing.has(cause)) ?? []
  return [status, detail]
}

/** Every choice of some of them, the empty one first. */
const sets = (of: readonly Cause[]): Cause[][] =>
  Array.from({ length: 2 ** of.length }, (_, bits) => of.filter((_, place) => (bits >> place) & 1))

test('AUTH-G14 without any cause the call is answered', async () => {
  expect(await ask(new Set())).toEqual([200, undefined])
})

describe('AUTH-G14 of two causes the earlier one decides:', () => {
  const pairs = causes.flatMap((first, n) => causes.slice(n + 1).map((second) => [first, second] as const))
  test.each(pairs)('K21 AUTH-G14 %s before %s', async (first, second) => {
    // Each alone is its own refusal, or the pair would prove nothing.
    for (const one of [first, second]) expect(await ask(new Set([one]))).toEqual(firstOf(new Set([one])))
    expect(await ask(new Set([first, second]))).toEqual(firstOf(new Set([first])))
  })
})

test('K21 AUTH-G14 of any number of causes the earliest decides', async () => {
  for (const set of sets(causes).slice(1)) {
    expect([set, await ask(new Set(set))]).toEqual([set, firstOf(new Set(set))])
  }
})

test('AUTH-G14 AUTH-11 a token that was known and has just been revoked is 401 before anything else is said', async () => {
  // One fault of the body stands for all: each set takes four calls.
  const rest = causes.filter((cause) => !['authenticate', 'type', 'nul'].includes(cause))
  for (const set of sets(rest)) {
    const failing = new Set<Cause>(set)
    const { member } = failing.has('role') ? plain : admin
    const [made] = await at.newTokens(member, failing.has('scope') ? ['brand:read'] : ['brand:admin'], 1)
    const authorization = `Bearer ${made?.token}`
    const known = await server.get('/api/v1/probe/auth/member', { headers: { authorization } })
    expect(known.status).toBe(200)
    await at.sql('update identity.tokens set revoked_at = now() where id = $1', [made?.id])
    const answer = await ask(new Set([...set, 'authenticate']), made?.token)
    expect([set, answer]).toEqual([set, [401, 'Not authenticated']])
  }
})
