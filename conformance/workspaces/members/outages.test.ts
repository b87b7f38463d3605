import { readServiceFacts } from '@crewhall/services/facts.ts'
import { type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { json } from '@crewhall/testkit/people.ts'
import { type RefusingMailServer, startRefusingMailServer } from '@crewhall/testkit/refusing-mail-server.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { listLetters, newMailAddress, secretIn } from './letters.ts'
import { memberVerbs, type Team } from './member-verbs.ts'

const { mail } = readServiceFacts()
let smtp: FaultProxy
const env: Record<string, string> = { DATABASE_LOCK_TIMEOUT_MS: '1000', MAIL_TIMEOUT_MS: '1000' }
beforeAll(async () => {
  smtp = await startFaultProxy(mail.smtp)
  env.SMTP_URL = smtp.through(mail.smtp_url)
})
const server = useServer('product', env)
const world = new World(server)
const { newTeam, givePassword } = memberVerbs(world)
afterEach(() => smtp.set({ kind: 'none' }))
afterAll(() => smtp?.close())

async function newReachableTeam(): Promise<Team & { email: string }> {
  const team = await newTeam()
  const email = newMailAddress()
  await world.sql('update identity.people set email = $2 where id = $1', [team.member.person_id, email])
  await givePassword(team.member.person_id)
  return { ...team, email }
}

const reset = (team: Team) => team.call('POST', `/members/${team.member.person_id}/reset-password`)
const set = (team: Team, more: object = {}) =>
  team.call('POST', `/members/${team.member.person_id}/set-password`, { password: 'long enough', ...more })
const mailFailed = { status: 502, body: { detail: 'Failed to send password reset email' } }
const setFailed = { status: 502, body: { detail: 'Failed to set password' } }
const stateOf = async ({ member }: Team) =>
  world.sql(
    `select w.password_hash, (select count(*)::int from identity.sessions s where s.person_id = w.person_id) as sessions,
            (select count(*)::int from identity.password_resets r where r.person_id = w.person_id) as links
     from identity.passwords w where w.person_id = $1`,
    [member.person_id],
  )

test.for(['drop', 'reset', 'half_open'] as const)(
  'MBR-21: reset-password answers 502 while the line to the mail server has %s, and leaves no link',
  async (kind) => {
    const team = await newReachableTeam()
    smtp.set({ kind })
    expect(await reset(team)).toEqual(mailFailed)
    expect(await stateOf(team)).toMatchObject([{ links: 0 }])
    smtp.set({ kind: 'none' })
    expect((await reset(team)).status).toBe(200)
    const [letter] = await waitFor(async () => {
      const letters = await listLetters(team.email)
      return letters.length > 0 && letters
    }, 20_000)
    const token = letter ? secretIn(letter) : ''
    const confirmed = await server.get(
      '/api/v1/auth/password-reset/confirm',
      json({ token, password: 'chosen by the member' }),
    )
    expect(confirmed.status).toBe(200)
  },
)

test('MBR-21: reset-password answers 502 when the mail server refuses the address for good', async () => {
  const refusing: RefusingMailServer = await startRefusingMailServer(550)
  const api = await server.start('api', { SMTP_URL: refusing.url })
  const team = await newReachableTeam()
  const path = `/api/v1/brands/${team.brand_id}/members/${team.member.person_id}/reset-password`
  const headers = { authorization: `Bearer ${team.token}` }
  const response = await fetch(`${api.url}${path}`, { method: 'POST', headers })
  expect([response.status, await response.json()]).toEqual([502, mailFailed.body])
  expect(refusing.tries()).toBe(1)
  await refusing.close()
})

/** Holds a table of this database against everybody else, as a migration that hangs would. */
async function withTableLocked<T>(table: string, work: () => Promise<T>): Promise<T> {
  const client = await server.connection('superuser')
  try {
    await client.query('begin')
    await client.query(`lock table ${table} in access exclusive mode`)
    return await work()
  } finally {
    await client.end()
  }
}

test.for(['identity.passwords', 'identity.password_resets', 'identity.sessions'])(
  'MBR-29: set-password answers 502 while %s cannot be reached, and has changed nothing',
  async (table) => {
    const team = await newReachableTeam()
    await world.newCookie(team.member.person_id, team.brand_id)
    const before = await stateOf(team)
    expect(await withTableLocked(table, () => set(team))).toEqual(setFailed)
    expect(await stateOf(team)).toEqual(before)
    expect((await set(team)).status).toBe(200)
    expect(await stateOf(team)).not.toEqual(before)
  },
)

test.for(['is known to the process', 'has to be looked up'] as const)(
  'MBR-29: set-password answers 502 while sessions cannot be reached and the session of the admin %s',
  async (caller) => {
    const team = await newReachableTeam()
    const cookie = await world.newCookie(team.admin.person_id, team.brand_id)
    const path = `/api/v1/brands/${team.brand_id}/members/${team.member.person_id}`
    if (caller === 'is known to the process')
      expect((await world.call({ cookie }, 'GET', path)).status).toBe(200)
    const before = await stateOf(team)
    const setAsAdmin = () =>
      world.call({ cookie }, 'POST', `${path}/set-password`, { password: 'long enough' })
    expect(await withTableLocked('identity.sessions', setAsAdmin)).toEqual(setFailed)
    expect(await stateOf(team)).toEqual(before)
    expect((await setAsAdmin()).status).toBe(200)
  },
)

test.for(['identity.password_resets', 'identity.sessions'])(
  'MBR-G13: a refusal is told while the password could not have been written for want of %s',
  async (table) => {
    const team = await newReachableTeam()
    const answer = await withTableLocked(table, () =>
      team.call('POST', '/members/2000000000/set-password', { password: 'long enough' }),
    )
    expect(answer.status).toBe(404)
  },
)

test('K7: a token is let in while sessions cannot be reached', async () => {
  const team = await newReachableTeam()
  const read = () => team.call('GET', `/members/${team.member.person_id}`)
  expect((await read()).status).toBe(200)
  expect((await withTableLocked('identity.sessions', read)).status).toBe(200)
})

test('MBR-G14: the password is set while the mail server is away, and the notice arrives when it is back', async () => {
  const team = await newReachableTeam()
  smtp.set({ kind: 'drop' })
  expect((await set(team, { send_email: true })).status).toBe(200)
  expect(await stateOf(team)).not.toMatchObject([{ password_hash: 'none' }])
  const worker = await server.start('worker')
  await waitFor(() => worker.logs().some(({ msg }) => msg === 'job failed'), 20_000)
  smtp.set({ kind: 'none' })
  const letters = await waitFor(async () => {
    const found = await listLetters(team.email)
    return found.length > 0 && found
  }, 120_000)
  expect(letters.map(({ subject }) => subject)).toEqual(['Your password was changed'])
})
