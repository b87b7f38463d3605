import { cookieOf, json, newEmail } from '@crewhall/testkit/people.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { whileLocked } from '@crewhall/testkit/while-locked.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { listLetters, newMailAddress, secretIn } from '../workspaces/members/letters.ts'

const server = useServer('probe', {
  HTTP_TRUST_PROXY: '127.0.0.1',
  HTTP_RATE_LIMIT_PER_MINUTE: '0',
})
const at = new World(server)
beforeAll(async () => {
  await server.start('worker')
})

const old = 'correct horse battery'
const next = 'a better horse battery'

interface Account {
  readonly email: string
  readonly cookie: string
  readonly person_id: number
}

async function newAccount(email = newEmail()): Promise<Account> {
  const body = { email, password: old, full_name: 'Ann', brand_name: 'Own' }
  const response = await server.get('/api/v1/auth/sign-up', json(body))
  expect(response.status).toBe(201)
  const me = (await response.json()) as { person: { id: number } }
  return { email, cookie: cookieOf(response), person_id: me.person.id }
}
async function signIn(email: string, password: string, headers: Record<string, string> = {}) {
  const response = await server.get('/api/v1/auth/sign-in', json({ email, password }, headers))
  return { status: response.status, cookie: cookieOf(response) }
}
const change = async (
  cookie: string,
  current_password: string,
  password: string,
  { prefix = '/api/v1', headers = {} as Record<string, string> } = {},
) => {
  const init = json({ current_password, password }, { cookie, ...headers })
  const response = await server.get(`${prefix}/me/password`, { ...init, method: 'PUT' })
  return { status: response.status, body: await response.json() }
}
const isLive = async (cookie: string) =>
  (await server.get('/api/v1/me', { headers: { cookie } })).status === 200
const wrong = { status: 403, body: { detail: 'The current password is wrong' } }
const letters = async (email: string, subject: string) =>
  (await listLetters(email)).filter((letter) => letter.subject === subject)
const letter = (email: string, subject: string) =>
  waitFor(async () => (await letters(email, subject)).at(-1), 30_000)

describe('a person changes their password', () => {
  test('with the current one; all other sessions and all links end, and they are told', async () => {
    const { email, cookie, person_id } = await newAccount(newMailAddress())
    const other = (await signIn(email, old)).cookie
    await at.sql(
      `insert into identity.password_resets (token_hash, person_id, expires_at) values ($1, $2, now() + interval '1 hour')`,
      [newEmail(), person_id],
    )
    expect(await change(cookie, old, next)).toEqual({ status: 200, body: { done: true } })
    expect([await isLive(cookie), await isLive(other)]).toEqual([true, false])
    expect([(await signIn(email, old)).status, (await signIn(email, next)).status]).toEqual([401, 200])
    expect(await at.sql('select 1 from identity.password_resets where person_id = $1', [person_id])).toEqual(
      [],
    )
    const told = await at.sql(
      `select actor_person_id, old_value, new_value from identity.platform_entries
       where action = 'password.changed' and person_id = $1`,
      [person_id],
    )
    expect(told).toEqual([{ actor_person_id: person_id, old_value: null, new_value: null }])
    const { text, html } = await letter(email, 'Your password was changed')
    for (const part of [text, html]) {
      expect(part).toContain('/dashboard/reset')
      expect(part).not.toContain(old)
      expect(part).not.toContain(next)
    }
  })

  test('not with a wrong one: nothing has changed, and guesses count with those of signing in', async () => {
    const { email, cookie } = await newAccount()
    const headers = { 'x-forwarded-for': '198.51.100.7' }
    const other = (await signIn(email, old)).cookie
    for (let n = 0; n < 5; n += 1) expect((await signIn(email, 'a guess', headers)).status).toBe(401)
    for (let n = 0; n < 5; n += 1) expect(await change(cookie, 'a guess', next, { headers })).toEqual(wrong)
    // The limit of a network at an account is ten, for the right password too.
    expect((await change(cookie, old, next, { headers })).status).toBe(429)
    expect((await signIn(email, old, headers)).status).toBe(429)
    expect(await isLive(other)).toBe(true)
    expect((await signIn(email, old)).status).toBe(200)
  })

  test('not to one that is too short, nor without the current one', async () => {
    const { cookie } = await newAccount()
    expect((await change(cookie, old, 'short')).status).toBe(422)
    const init = json({ password: next }, { cookie })
    expect((await server.get('/api/v1/me/password', { ...init, method: 'PUT' })).status).toBe(422)
  })

  test('whoever hangs up has changed it and ended the others, or neither', async () => {
    const { email, cookie, person_id } = await newAccount()
    const others = await Promise.all([signIn(email, old), signIn(email, old)])
    const control = new AbortController()
    const init = json({ current_password: old, password: next }, { cookie })
    // It goes when its statements stand still before the rows of the person.
    await whileLocked(
      server.database.name,
      `select 1 from identity.people where id = ${person_id} for update`,
      [
        () =>
          server
            .get('/api/v1/me/password', { ...init, method: 'PUT', signal: control.signal })
            .then(({ status }) => status)
            .catch(() => 0),
        async () => {
          control.abort()
          return 0
        },
      ],
    )
    const isChanged = await waitFor(async () => {
      const [[before], [after]] = [await signInStatus(email, old), await signInStatus(email, next)]
      return before !== after && { done: after === 200 }
    }, 20_000)
    const live = await Promise.all(others.map(({ cookie }) => isLive(cookie)))
    expect(live).toEqual(others.map(() => !isChanged.done))
  })
})

const signInStatus = async (email: string, password: string) => [(await signIn(email, password)).status]

describe('of two changes at once one is refused', () => {
  const rounds = scaled(20, 10)
  const sides = [
    { side: 'the product', prefix: '/api/v1', expected: [200, 403] },
    { side: 'a naive twin', prefix: '/api/v1/probe/naive', expected: [200, 200] },
  ]

  // Both have found the current password right, and stand still before they write.
  test.for(sides)('on the side of $side, with one session', async (given) => {
    const { prefix, expected, side } = given
    const answers = []
    for (let round = 0; round < rounds; round += 1) {
      const { cookie, person_id } = await newAccount()
      // The twin keeps passwords as they are.
      if (side === 'a naive twin')
        await at.sql('update identity.passwords set password_hash = $2 where person_id = $1', [
          person_id,
          old,
        ])
      const steps = ['first', 'second'].map((name) => async () => {
        return (await change(cookie, old, `${next} ${name}`, { prefix })).status
      })
      const lock = `select 1 from identity.passwords where person_id = ${person_id} for update`
      answers.push(await whileLocked(server.database.name, lock, steps))
    }
    expect(answers).toEqual(answers.map(() => expected))
  })

  test('and whoever was signed out by the first is told so, and changes nothing', async () => {
    const { email, cookie, person_id } = await newAccount()
    const other = (await signIn(email, old)).cookie
    const statuses = await whileLocked(
      server.database.name,
      `select 1 from identity.people where id = ${person_id} for update`,
      [
        async () => (await change(cookie, old, next)).status,
        async () => (await change(other, old, 'the second password')).status,
      ],
    )
    expect(statuses).toEqual([200, 401])
    expect([(await signIn(email, next)).status, (await signIn(email, 'the second password')).status]).toEqual(
      [200, 401],
    )
  })

  test('a change that waits for a reset changes nothing', async () => {
    const { email, cookie, person_id } = await newAccount(newMailAddress())
    expect((await server.get('/api/v1/auth/password-reset', json({ email }))).status).toBe(202)
    const token = secretIn(await letter(email, 'Choose a new password'))
    const statuses = await whileLocked(
      server.database.name,
      `select 1 from identity.people where id = ${person_id} for update`,
      [
        async () =>
          (await server.get('/api/v1/auth/password-reset/confirm', json({ token, password: next }))).status,
        async () => (await change(cookie, old, 'the thief’s password')).status,
      ],
    )
    expect(statuses).toEqual([200, 401])
    expect((await signIn(email, next)).status).toBe(200)
    // A reset is told of as well.
    await letter(email, 'Your password was changed')
  })
})

describe('a person is told of a new sign-in', () => {
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
  const from = (network: string, agent = firefox) => ({ 'x-forwarded-for': network, 'user-agent': agent })
  const subject = 'New sign-in to your account'
  const queued = async (person_id: number) => {
    const rows = await at.sql(`select 1 from identity.attempt_limits where key = $1 and failures > 0`, [
      `letters:sign-in:${person_id}`,
    ])
    return rows.length > 0
  }

  test('from where they have not signed in lately, and not from where they have', async () => {
    const { email, person_id } = await newAccount(newMailAddress())
    expect((await signIn(email, old)).status).toBe(200)
    expect(await queued(person_id)).toBe(false)
    const { cookie } = await signIn(email, old, from('203.0.113.5'))
    const { text } = await letter(email, subject)
    expect(text).toContain('with Firefox on Linux from the network 203.0.113.0/24')
    expect(text).not.toContain('203.0.113.5')
    // Signing out does not make a device a stranger, nor does another address of the network or a new version.
    await server.get('/api/v1/auth/sign-out', { method: 'POST', headers: { cookie } })
    await signIn(email, old, from('203.0.113.6', firefox.replaceAll('140', '141')))
    await signIn(email, old, from('198.51.100.9'))
    await waitFor(async () => (await letters(email, subject)).length === 2, 30_000)
    const networks = (await letters(email, subject)).map(({ text }) => /network (\S+)\./.exec(text)?.[1])
    expect(networks).toEqual(['203.0.113.0/24', '198.51.100.0/24'])
  })

  test('not of their first one, and of one after a long absence', async () => {
    const { email, person_id } = await newAccount()
    // As somebody who was invited: they have an account and have never signed in.
    await at.sql('update identity.passwords set first_used_at = null where person_id = $1', [person_id])
    await at.sql('delete from identity.devices where person_id = $1', [person_id])
    await signIn(email, old, from('203.0.113.5'))
    expect(await queued(person_id)).toBe(false)
    // What was known of devices is forgotten after a while; that they have signed in before is not.
    await at.sql('delete from identity.devices where person_id = $1', [person_id])
    await signIn(email, old, from('203.0.113.5'))
    expect(await queued(person_id)).toBe(true)
  })

  test('at most five times a day, and once for two at once', async () => {
    const { email, person_id } = await newAccount(newMailAddress())
    await Promise.all([signIn(email, old, from('203.0.1.1')), signIn(email, old, from('203.0.1.2'))])
    for (let n = 2; n < 12; n += 1) await signIn(email, old, from(`203.0.${n}.1`))
    await waitFor(async () => (await letters(email, subject)).length === 5, 60_000)
    const networks = (await letters(email, subject)).map(({ text }) => /network (\S+)\./.exec(text)?.[1])
    expect(new Set(networks).size).toBe(5)
    const [row] = await at.sql<{ failures: number }>(
      'select failures from identity.attempt_limits where key = $1',
      [`letters:sign-in:${person_id}`],
    )
    expect(row?.failures).toBe(5)
  })
})
