import { randomBytes } from 'node:crypto'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { asAdmin } from '@crewhall/testkit/databases.ts'
import { runProcess, startProcess } from '@crewhall/testkit/server-process.ts'
import { entries, useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, onTestFinished, test } from 'vitest'

const server = useServer('product')
const production = { ENVIRONMENT: 'production', PUBLIC_URL: 'https://crewhall.example' }
type Kind = 'api' | 'worker'

/** Ends with 78 and one line of advice, before it has served anybody. */
const refused = (kind: Kind, env: Record<string, string>, database_url = server.database.url) =>
  expect(runProcess({ entry: entries.product[kind], database_url, env: { ...production, ...env } })).rejects

/** A role of its own that may use the tables as the product does. */
async function newRole(options: string): Promise<string> {
  const name = `role_${randomBytes(5).toString('hex')}`
  const { app_user } = readServiceFacts().postgres
  await asAdmin(`create role ${name} login password 'of-a-test' ${options} in role ${app_user}`)
  onTestFinished(() => asAdmin(`drop role ${name}`))
  return Object.assign(new URL(server.database.url), { username: name, password: 'of-a-test' }).href
}

const kinds: Kind[] = ['api', 'worker']

test.each(kinds)('S15: without SIGNING_KEY production refuses to start the %s', async (kind) => {
  await refused(kind, { SIGNING_KEY: '' }).toThrow(
    /ended with 78[\s\S]*SIGNING_KEY: production needs one of its own; set it to the output of `openssl rand -base64 32`/,
  )
})

test('S15: staging needs a key too, and development runs without one', async () => {
  await refused('api', { SIGNING_KEY: '', ENVIRONMENT: 'staging' }).toThrow(
    /ended with 78[\s\S]*SIGNING_KEY: staging/,
  )
  const api = await server.start('api', { SIGNING_KEY: '', ENVIRONMENT: 'development' })
  expect((await fetch(`${api.url}/api/v1/system/info`)).status).toBe(200)
})

test.each(['short', 'thirty-two characters with a space', 'thirty-two-characters,with-a-comma-in-it'])(
  'S15: %j is no key',
  async (key) => {
    await refused('api', { SIGNING_KEY: key }).toThrow(/ended with 78[\s\S]*SIGNING_KEY: must be at least 32/)
    if (!key.includes(',')) {
      const env = { SIGNING_KEYS_ACCEPTED: key }
      await refused('api', env).toThrow(/ended with 78[\s\S]*SIGNING_KEYS_ACCEPTED: must be at least 32/)
    }
  },
)

test.each(kinds)('S16: with an http PUBLIC_URL production refuses to start the %s', async (kind) => {
  await refused(kind, { PUBLIC_URL: 'http://crewhall.example' }).toThrow(
    /ended with 78[\s\S]*PUBLIC_URL: production needs an https address[\s\S]*set it to/,
  )
})

test.each(['the-network-of-your-ingress', '10.0.0.0/33', '10.0.0.1/8/8'])(
  '%j is no proxy to trust',
  async (HTTP_TRUST_PROXY) => {
    await refused('api', { HTTP_TRUST_PROXY }).toThrow(
      /ended with 78[\s\S]*HTTP_TRUST_PROXY: must be addresses or networks/,
    )
  },
)

test.each(kinds)('S14: as owner of the tables production refuses to start the %s', async (kind) => {
  await refused(kind, {}, server.database.owner_url).toThrow(
    /ended with 78[\s\S]*DATABASE_URL: the role crewhall owns [a-z_]+\.[a-z_]+, .*DATABASE_OWNER_URL/,
  )
})

test.each(kinds)('S14: as superuser production refuses to start the %s', async (kind) => {
  const { admin_url } = readServiceFacts().postgres
  const url = Object.assign(new URL(admin_url), { pathname: `/${server.database.name}` }).href
  await refused(kind, {}, url).toThrow(/ended with 78[\s\S]*DATABASE_URL: the role [a-z_]+ is a superuser/)
})

test.each(kinds)('S14: as a role with BYPASSRLS production refuses to start the %s', async (kind) => {
  await refused(kind, {}, await newRole('bypassrls')).toThrow(/ended with 78[\s\S]*has BYPASSRLS/)
})

test('S14: a role that could make itself the owner is as good as the owner', async () => {
  const url = await newRole('noinherit')
  const role = new URL(url).username
  await asAdmin(`grant ${readServiceFacts().postgres.user} to ${role}`)
  await refused('api', {}, url).toThrow(/ended with 78[\s\S]*DATABASE_URL: the role \w+ owns/)
})

test('S14: a role that owns nothing starts, and so does development as owner', async () => {
  const api = await startProcess({
    entry: entries.product.api,
    database_url: await newRole(''),
    env: production,
  })
  onTestFinished(() => api.kill())
  expect((await fetch(`${api.url}/api/v1/system/info`)).status).toBe(200)
  await api.kill()
  const owner = await startProcess({ entry: entries.product.api, database_url: server.database.owner_url })
  await owner.kill()
})

test.each(kinds)(
  'the %s starts where text search has no index, and says what a superuser has to run',
  async (kind) => {
    const admin = await server.connection('superuser')
    await admin.query('alter function ts_match_vq(tsvector, tsquery) not leakproof')
    const started = await server.start(kind, production)
    const warning = await waitFor(() => started.logs().find((line) => 'run_as_superuser' in line), 10_000)
    expect(warning).toMatchObject({
      level: 'warn',
      run_as_superuser: 'alter function ts_match_vq(tsvector,tsquery) leakproof;',
    })
    await admin.query(String(warning.run_as_superuser))
    await started.stop()
  },
)

test.each(['DATABASE_DIRECT_URL', 'MEMORY_DATABASE_URL', 'CODE_INDEX_DATABASE_URL'])(
  '%s with another role or database is told at the start',
  async (setting) => {
    const { url, owner_url } = server.database
    const elsewhere = Object.assign(new URL(url), { pathname: '/elsewhere' }).href
    for (const other of [owner_url, elsewhere])
      await refused('api', { [setting]: other }).toThrow(
        new RegExp(`ended with 78[\\s\\S]*${setting}: must name the same role and database as DATABASE_URL`),
      )
  },
)

test.each(['zz', 'ab'.repeat(31), `${'ab'.repeat(32)},oops`, 'g'.repeat(64)])(
  'S16: ADMIN_KEY_DIGESTS=%s is told at the start',
  async (digests) => {
    await refused('api', { ADMIN_KEY_DIGESTS: digests, ENVIRONMENT: 'development' }).toThrow(
      /ended with 78[\s\S]*ADMIN_KEY_DIGESTS: must be SHA-256 digests of 64 hexadecimal digits/,
    )
  },
)
