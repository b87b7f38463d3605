import { freePort } from '@crewhall/testkit/free-port.ts'
import { json, newEmail, newToken, signUp } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { digestOf } from '@crewhall/testkit/world/secrets.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { expect, test } from 'vitest'

const port = await freePort()
const server = useServer('product', {
  HTTP_TRUST_PROXY: '127.0.0.1',
  AUTH_TRIES_PER_ADDRESS: '300',
  AUTH_TRIES_PER_EMAIL: '20',
  METRICS_PORT: String(port),
})
const at = new World(server)
const get = (path: string, init?: RequestInit) => server.get(path, init)

let networks = 0
const newNetwork = () => {
  networks += 1
  return `198.51.100.${networks}`
}
const from = (network: string) => ({ 'x-forwarded-for': network })
const signIn = async (network: string, email: string, password = 'a wrong guess', base = server.api.url) =>
  (await fetch(`${base}/api/v1/auth/sign-in`, json({ email, password }, from(network)))).status
const confirm = async (network: string, token: string, base = server.api.url) =>
  (
    await fetch(
      `${base}/api/v1/auth/password-reset/confirm`,
      json({ token, password: 'another horse entirely' }, from(network)),
    )
  ).status
const times = async (count: number, work: (n: number) => Promise<number>) => {
  const seen: Record<number, number> = {}
  for (let n = 0; n < count; n += 1) {
    const status = await work(n)
    seen[status] = (seen[status] ?? 0) + 1
  }
  return seen
}

test('S9: a stranger who guesses is locked out, and the owner of the account is not', async () => {
  const [owner, stranger] = [await signUp(get), newNetwork()]
  expect(await times(12, () => signIn(stranger, owner.email))).toEqual({ 401: 10, 429: 2 })
  expect(await signIn(newNetwork(), owner.email, owner.password)).toBe(200)
  // Having the password does not help the network that guessed.
  expect(await signIn(stranger, owner.email, owner.password)).toBe(429)
})

test('S9: what a network may not try any more counts against no account', async () => {
  const owner = await signUp(get)
  const { url } = await server.start('api', { AUTH_TRIES_PER_ADDRESS: '3', METRICS_PORT: '0' })
  const stranger = newNetwork()
  expect(await times(3, () => signIn(stranger, newEmail(), 'x', url))).toEqual({ 401: 3 })
  const rows = () => at.sql<{ count: number }>('select count(*)::int as count from identity.attempt_limits')
  const before = await rows()
  expect(await times(30, () => signIn(stranger, owner.email, 'x', url))).toEqual({ 429: 30 })
  expect(await rows()).toEqual(before)
  expect(await signIn(newNetwork(), owner.email, owner.password)).toBe(200)
})

test('S9: guesses from many networks meet a limit of the account, and right passwords do not count', async () => {
  const owner = await signUp(get)
  expect(await times(3, () => signIn(newNetwork(), owner.email, owner.password))).toEqual({ 200: 3 })
  const [one, two] = [newNetwork(), newNetwork()]
  expect(await times(20, (n) => signIn(n % 2 ? one : two, owner.email))).toEqual({ 401: 20 })
  expect(await signIn(newNetwork(), owner.email)).toBe(429)
})

test('S9: twenty guesses at once from one network reach the password ten times', async () => {
  const [owner, stranger] = [await signUp(get), newNetwork()]
  const statuses = await Promise.all(Array.from({ length: 20 }, () => signIn(stranger, owner.email)))
  expect(statuses.toSorted()).toEqual([...Array(10).fill(401), ...Array(10).fill(429)])
})

async function cpuSeconds(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(/^process_cpu_seconds_total ([\d.e-]+)$/m.exec(text)?.[1])
}

test('S9: 206 made-up reset links are refused without hashing a password', async () => {
  const cost = async (work: () => Promise<unknown>) => {
    const before = await cpuSeconds()
    await work()
    return (await cpuSeconds()) - before
  }
  const [guesser, stranger] = [newNetwork(), newNetwork()]
  await confirm(guesser, 'warm')
  // A wrong password at an unknown account is one hash, and little else.
  const hashes = await cost(() => times(20, () => signIn(guesser, newEmail())))
  const bogus = await cost(async () => {
    expect(await times(206, (n) => confirm(stranger, `made-up-${n}`))).toEqual({ 400: 206 })
  })
  console.log(`one hash: ${(hashes / 20) * 1000} ms of CPU, one made-up link: ${(bogus / 206) * 1000} ms`)
  expect(bogus / 206).toBeLessThan(hashes / 20 / 3)
})

test('S9: made-up reset links are limited by network', async () => {
  const { url } = await server.start('api', { AUTH_TRIES_PER_ADDRESS: '5', METRICS_PORT: '0' })
  const stranger = newNetwork()
  expect(await times(8, (n) => confirm(stranger, `made-up-${n}`, url))).toEqual({ 400: 5, 429: 3 })
  expect(await confirm(newNetwork(), 'made-up', url)).toBe(400)
})

test('S16: a reset leaves access tokens alive, and revokes them when it is asked to', async () => {
  const owner = await signUp(get)
  // Of an address that was never proven, whoever proves it by the reset ends all that came before.
  await at.sql('update identity.people set email_verified = true where id = $1', [owner.person_id])
  const { token } = await newToken(get, owner, [])
  const reset = async (secret: string, more: object) => {
    await at.sql(
      `insert into identity.password_resets (token_hash, person_id, expires_at) values ($1, $2, now() + interval '1 hour')`,
      [digestOf(secret), owner.person_id],
    )
    const body = { token: secret, password: 'another horse entirely', ...more }
    expect((await get('/api/v1/auth/password-reset/confirm', json(body))).status).toBe(200)
  }
  const tokens = `/api/v1/brands/${owner.brand_id}/tokens`
  const status = async () => (await get(tokens, { headers: bearer(token) })).status
  expect(await status()).toBe(200)
  await reset(`first-${owner.email}`, {})
  expect(await status()).toBe(200)
  await reset(`second-${owner.email}`, { revoke_tokens: true })
  expect(await status()).toBe(401)
  const entries = await at.sql<{ action: string }>(
    `select action from platform.audit_entries where brand_id = $1 and action = 'token.revoked'`,
    [owner.brand_id],
  )
  expect(entries).toHaveLength(1)
})
