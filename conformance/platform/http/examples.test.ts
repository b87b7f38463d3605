import { createHash, createHmac } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { headersOfAnswer } from '@crewhall/contracts/answer-headers.ts'
import { getSidecarBundle } from '@crewhall/contracts/fleet/desk-agent.ts'
import { type AnyRoute, isRead, successStatus } from '@crewhall/contracts/route.ts'
import { allRoutes } from '@crewhall/contracts/routes.ts'
import { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import { callOf } from '@crewhall/testkit/matrix/call.ts'
import { freshValues, spareCookie } from '@crewhall/testkit/matrix/fresh.ts'
import { type Caller, outsiderEmail, type World } from '@crewhall/testkit/matrix/part.ts'
import { letHiresWork } from '@crewhall/testkit/matrix/working-hires.ts'
import { createWorld } from '@crewhall/testkit/matrix/world.ts'
import { type NameServer, startNameServer } from '@crewhall/testkit/name-server.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

// The examples of the reference, sent as they stand there to a made world, with ids of that world.

const adminKey = 'an-admin-key-of-this-test'
const digestOf = (text: string) => createHash('sha256').update(text).digest('hex')
/** Only desks judge what is signed; the service hands it out. */
const bundleFolder = mkdtempSync(join(tmpdir(), 'bundle-'))
writeFileSync(join(bundleFolder, 'sidecar.mjs'), '//')
const [key, signature] = ['A'.repeat(43), 'A'.repeat(86)]
const bundle = { version: '1.0.0', floor: '1.0.0', bytes: 2, key, key_signature: signature, signature }
writeFileSync(
  join(bundleFolder, 'sidecar.json'),
  JSON.stringify({ ...bundle, ...getSidecarBundle.example.query }),
)
const server = useServer('product', {
  ADMIN_KEY_DIGESTS: digestOf(adminKey),
  SIDECAR_BUNDLE_DIR: bundleFolder,
})
let names: NameServer
let admin: pg.Client
let world: World
let url: string

beforeAll(async () => {
  // Receivers of webhooks are looked up before they are taken.
  names = await startNameServer({ 'hooks.example.com': ['93.184.215.14'] })
  const limits = { HTTP_RATE_LIMIT_PER_MINUTE: '6000', HTTP_RATE_LIMIT_PER_CREDENTIAL: '3000' }
  url = (await server.start('api', { OUTBOUND_NAME_SERVERS: names.address, ...limits })).url
  admin = await server.connection('superuser')
  world = await createWorld((path, init) => server.get(path, init), admin)
})
afterAll(async () => {
  names?.close()
  rmSync(bundleFolder, { recursive: true })
})

const callerNamed = (name: string): Caller => {
  const found = world.callers.find((caller) => caller.name === name)
  if (!found) throw new Error(`the world has no ${name}`)
  return found
}
const callerOf = ({ resources = {} }: AnyRoute): Caller =>
  callerNamed(
    Object.values(resources).some((each) => each.startsWith('shared_')) ? 'guest, session' : 'admin, session',
  )

async function headersOf(route: AnyRoute, caller: Caller): Promise<Record<string, string>> {
  const { id, auth } = route
  // The link proves an address only for whoever is signed in.
  if (auth.kind === 'nobody' && id !== 'identity.confirmEmail') return {}
  if (auth.kind === 'desk') return {}
  if (auth.kind === 'platform_admin') return { 'x-admin-key': adminKey }
  // A session of its own, also where an admin of the platform could call: some calls end the one they are made with.
  return { cookie: await spareCookie(admin, route, caller.headers.cookie ?? '') }
}

/** Only what is built has a credential, and can be canceled. */
async function workingHire(): Promise<object> {
  await letHiresWork(admin, 'test-engineer')
  return {}
}

/** The only admin of a workspace with other members is not erased. */
async function secondAdmin(): Promise<object> {
  await admin.query(
    `insert into identity.memberships (brand_id, person_id, role) values ($1, $2, 'admin') on conflict do nothing`,
    [world.brands.one, world.admins.two.id],
  )
  return {}
}

/** With the code of the examples. */
async function waitingProgram(): Promise<object> {
  await admin.query(
    `insert into identity.device_codes (id, device_digest, user_digest, network, interval_seconds, expires_at)
     values (gen_random_uuid(), uuid_send(gen_random_uuid()), decode($1, 'hex'), '192.0.2.1', 5, now() + interval '1 minute')
     on conflict do nothing`,
    [digestOf('WDJBMJHT')],
  )
  return {}
}

/** What only the world can know: somebody from outside, and what stands in a mail. */
const known: Readonly<Record<string, (given: Record<string, unknown>) => Promise<object>>> = {
  'boards.addBoardGuest': async () => ({ email: outsiderEmail }),
  'docs.addSpaceGuest': async () => ({ email: outsiderEmail }),
  'fleet.sendLogs': async () => {
    await admin.query(
      `insert into fleet.desk_logs (brand_id, desk_id, requested_by, command_id, expires_at)
       values ($1, $2, $3, gen_random_uuid(), now() + interval '1 hour')
       on conflict (brand_id, desk_id) do update set command_id = excluded.command_id, received_at = null, content = null`,
      [world.brands.one, world.values.one.desk, world.admins.one.id],
    )
    return {}
  },
  'hires.hireEmployee': async () => {
    // Another example has withdrawn it.
    await admin.query(`update hires.employees set status = 'published' where status = 'withdrawn'`)
    await admin.query(`update identity.brands set subscription_status = 'active' where id = $1`, [
      world.brands.one,
    ])
    return {}
  },
  'hires.fetchDeskHire': async () => {
    await letHiresWork(admin, 'docs-writer')
    const { desk } = world.values.one
    await admin.query(
      `with hired as (
         update hires.hires set desk_id = $2 where brand_id = $1 and id = $3 returning agent_id)
       update fleet.desks set hired_agent_id = hired.agent_id from hired where brand_id = $1 and id = $2`,
      [world.brands.one, desk, world.values.one.hire],
    )
    return {}
  },
  'hires.issueHireCredential': workingHire,
  'hires.cancelHire': workingHire,
  'hires.cancelHireNow': workingHire,
  'identity.removeStaff': async () => {
    // The last one cannot be removed.
    const headers = { 'x-admin-key': adminKey }
    await fetch(`${url}/api/v1/admin/staff/${world.admins.two.id}`, { method: 'PUT', headers })
    return {}
  },
  'identity.eraseMe': () => secondAdmin(),
  'identity.erasePerson': () => secondAdmin(),
  'identity.eraseBrand': async () => ({ name: `W ${world.marks.one}` }),
  'identity.confirmReset': async ({ token }) => {
    await admin.query(
      `insert into identity.password_resets (token_hash, person_id, expires_at)
       values ($1, $2, now() + interval '1 hour')`,
      [digestOf(String(token)), world.admins.two.id],
    )
    return {}
  },
  'identity.confirmEmail': async ({ token }) => {
    await admin.query(
      `insert into identity.email_proofs (person_id, token_hash, expires_at)
       values ($1, $2, now() + interval '1 hour')`,
      [world.admins.one.id, digestOf(String(token))],
    )
    return {}
  },
  'identity.redeemDeviceCode': async ({ device_code }) => {
    await admin.query(
      `insert into identity.device_codes (id, device_digest, user_digest, status, session_id, network, interval_seconds, expires_at)
       select gen_random_uuid(), decode($1, 'hex'), uuid_send(gen_random_uuid()), 'approved', max(id), '192.0.2.1', 5,
         now() + interval '1 minute' from identity.sessions where person_id = $2`,
      [digestOf(String(device_code)), world.admins.one.id],
    )
    return {}
  },
  'identity.getDeviceRequest': waitingProgram,
  'identity.decideDeviceRequest': waitingProgram,
  'workspaces.acceptInvitation': async ({ token }) => {
    await admin.query(
      `insert into workspaces.invitations (brand_id, email, role, expires_at, token_hash)
       values ($1, 'hopper@example.test', 'member', now() + interval '1 day', $2)`,
      [world.brands.one, digestOf(String(token))],
    )
    return {}
  },
}

/** Headers that HTTP itself or the safety of browsers asks for; nobody reads a reference for them. */
const ofHttp = new Set([
  'connection',
  'keep-alive',
  'date',
  'content-type',
  'content-length',
  'transfer-encoding',
  'cache-control',
  'x-content-type-options',
  'content-security-policy',
  'cross-origin-resource-policy',
  'x-accel-buffering',
  'strict-transport-security',
  'referrer-policy',
])

async function sendExample(route: AnyRoute): Promise<Response> {
  const caller = callerOf(route)
  const own = Object.fromEntries(
    Object.keys(route.resources ?? {})
      // An id that the example leaves out is not needed.
      .filter((name) => !name.includes('.') || isGiven(route, name))
      .map((name) => [name, 'own' as const]),
  )
  const fresh = isRead(route) ? {} : await freshValues(admin, world, route, caller)
  const body = route.example?.body ?? {}
  const example = { ...route.example, body: { ...body, ...(await known[route.id]?.(body)) } }
  const { path, init } = callOf(route, world, own, await headersOf(route, caller), fresh, example)
  const signature = isSigned(route)
    ? await signatureOf(path, String(init.body))
    : route.auth.kind === 'desk'
      ? await asDesk(route, String(init.body ?? '{}'))
      : {}
  return fetch(`${url}${path}`, { ...init, headers: { ...init.headers, ...signature } })
}

const isSigned = ({ auth }: AnyRoute) => auth.kind === 'nobody' && auth.signed !== undefined

/** With a secret of what the path names, as an admin gets it. */
async function signatureOf(path: string, body: string): Promise<Record<string, string>> {
  const secretPath = path
    .replace(/pushed$/, 'push-secret')
    .replace(/\/hooks\/([^/]+)$/, '/board/hooks/$1/rotate-secret')
  const { cookie = '' } = callerNamed('admin, session').headers
  const made = await fetch(`${url}${secretPath}`, { method: 'POST', headers: { cookie } })
  const { secret } = (await made.json()) as { secret: string }
  return { 'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` }
}

/** As the desk that the body names, or any. */
async function asDesk(route: AnyRoute, body: string): Promise<Record<string, string>> {
  const { env_id = world.values.one.desk } = JSON.parse(body) as { env_id?: string }
  const desk = await DeskCaller.plant(admin, world.brands.one, String(env_id))
  return desk.headersFor(route, body)
}

function isGiven({ example }: AnyRoute, name: string): boolean {
  const [place, field = ''] = name.split('.')
  return field in ((place === 'body' ? example?.body : example?.query) ?? {})
}

describe('K24: the example of', () => {
  test.each(allRoutes.map((route) => [route.id, route] as const))('%s works', async (_, route) => {
    const response = await sendExample(route)
    const status = successStatus(route)
    if (response.status !== status) throw new Error(`${response.status}: ${await response.text()}`)
    await response.body?.cancel()
    const documented = headersOfAnswer(route, status).map((name) => name.toLowerCase())
    const sent = [...response.headers.keys()].filter((name) => !ofHttp.has(name))
    expect(sent.filter((name) => !documented.includes(name))).toEqual([])
    const certain = documented.filter((name) => !conditional.has(name))
    expect(certain.filter((name) => !sent.includes(name))).toEqual([])
  })
})

/** Documented, and there only when there is something to tell. */
const conditional = new Set(['link', 'idempotent-replayed', 'dry-run', 'vary', 'content-disposition'])
