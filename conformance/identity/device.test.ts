import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { describe, expect, test } from 'vitest'
import { listLetters, newMailAddress } from '../workspaces/members/letters.ts'
import { cookieOf, device, deviceVerbs, digestOf, errorOf, type Told } from './device-verbs.ts'

const server = useServer('product', { HTTP_TRUST_PROXY: '127.0.0.1' })
const world = new World(server)
const { start, poll, show, decide, newPerson, plant, age } = deviceVerbs(world)

const me = (credential: { cookie: string } | { token: string }) =>
  world.call<Record<string, unknown>>(credential, 'GET', '/api/v1/me')
const unknown = { status: 404, body: { detail: 'No program is waiting with this code' } }
let networks = 0
/** A network of its own, so that limits of other tests do not count. */
const elsewhere = () => {
  networks += 1
  return { 'x-forwarded-for': `198.51.100.${networks}`, 'user-agent': 'crewhall/0.13.0' }
}

describe('a program without a browser gets', () => {
  test('a session of the person who has approved it, exactly once', async () => {
    const who = await newPerson()
    const started = await start({ host: 'build-7' }, elsewhere())
    expect(started).toMatchObject({ expires_in: 600, interval: 5 })
    expect(started.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    expect(started.verification_uri_complete).toBe(
      `${started.verification_uri}?user_code=${started.user_code}`,
    )
    expect(errorOf(await poll(started))).toBe('authorization_pending')
    expect(await show(who.cookie, started.user_code.toLowerCase().replace('-', ' '))).toMatchObject({
      status: 200,
      body: {
        user_code: started.user_code,
        host: 'build-7',
        client: 'crewhall',
        network: `198.51.100.${networks}`,
        same_network: false,
        asks_for: 'session',
        scopes: null,
      },
    })
    expect(await decide(who.cookie, started)).toEqual({ status: 200, body: { decision: 'approved' } })
    expect(await show(who.cookie, started.user_code)).toEqual(unknown)
    const got = await poll(started)
    expect(got).toMatchObject({
      status: 200,
      body: {
        token_type: 'Cookie',
        cookie_name: 'crewhall_session',
        scopes: null,
        brand_id: who.brand_id,
      },
    })
    expect(got.headers.get('cache-control')).toBe('no-store')
    expect(got.headers.get('set-cookie')).toBe(null)
    expect(await me({ cookie: cookieOf(got.body) })).toMatchObject({
      status: 200,
      body: { person: { id: who.person_id }, brand_id: who.brand_id, credential: 'session' },
    })
    expect(errorOf(await poll(started))).toBe('expired_token')
    const told = await world.sql(
      `select action, new_value from identity.platform_entries where person_id = $1 order by id`,
      [who.person_id],
    )
    expect(told).toEqual([
      { action: 'device.approved', new_value: { credential: 'session' } },
      { action: 'session.started', new_value: { by: 'device' } },
    ])
  })

  test('a token with the scopes that were shown, for the workspace that was chosen, audited there', async () => {
    const who = await newPerson('member')
    const other = await world.newBrand()
    await world.join(other, 'member', who.person_id)
    const started = await start({ host: 'agent-1', scopes: ['brand:read', 'brand:read'] }, elsewhere())
    expect((await show(who.cookie, started.user_code)).body).toMatchObject({
      asks_for: 'token',
      scopes: ['brand:read'],
    })
    expect(await decide(who.cookie, started, 'approve', { brand_id: other })).toMatchObject({ status: 200 })
    const { body } = await poll(started)
    expect(body).toMatchObject({ token_type: 'Bearer', cookie_name: null, scopes: ['brand:read'] })
    expect(await me({ token: body.access_token })).toMatchObject({
      body: { brand_id: other, credential: 'token', scopes: ['brand:read'] },
    })
    const [entry] = await world.sql<{ new_value: Record<string, unknown> }>(
      `select new_value from platform.audit_entries where brand_id = $1 and action = 'token.issued'`,
      [other],
    )
    expect(entry?.new_value).toMatchObject({ name: 'Command line on agent-1', person_id: who.person_id })
    expect(errorOf(await poll(started))).toBe('expired_token')
  })

  test('nothing when the person denies it', async () => {
    const who = await newPerson()
    const code = await plant()
    expect(await decide(who.cookie, code, 'deny')).toEqual({ status: 200, body: { decision: 'denied' } })
    expect([errorOf(await poll(code)), errorOf(await poll(code))]).toEqual(['access_denied', 'access_denied'])
    expect(await decide(who.cookie, code)).toEqual(unknown)
  })
})

describe('polls', () => {
  test('that come too soon raise the interval each time, and those in time do not', async () => {
    const code = await plant()
    expect(errorOf(await poll(code))).toBe('authorization_pending')
    const slowed = await poll(code)
    expect(slowed).toMatchObject({ status: 400, body: { detail: { error: 'slow_down', interval: 10 } } })
    expect((await poll(code)).body as unknown as Told).toMatchObject({ detail: { interval: 15 } })
    await age(code, '15 seconds')
    expect(errorOf(await poll(code))).toBe('authorization_pending')
    await age(code, '9 seconds')
    expect((await poll(code)).body as unknown as Told).toMatchObject({ detail: { interval: 20 } })
  })

  test('of expired and unknown codes are told the same, and guesses are limited', async () => {
    const code = await plant()
    await age(code, '11 minutes')
    const [expired, made] = [
      await poll(code),
      await poll({ device_code: 'made up', user_code: '' }, elsewhere()),
    ]
    expect(expired).toMatchObject({ status: 400, body: { detail: { error: 'expired_token' } } })
    expect(made).toEqual(expired)
    const from = elsewhere()
    await world.sql(
      `insert into identity.attempt_limits (key, window_end, failures) values ($1, now() + interval '1 hour', 300)`,
      [`device-poll:${from['x-forwarded-for']}`],
    )
    expect((await poll({ device_code: 'made up', user_code: '' }, from)).status).toBe(429)
    // Whoever has a code is not in the way of those who guess, nor they in theirs.
    expect(errorOf(await poll(await plant(), from))).toBe('authorization_pending')
  })

  test('after the last moment find what was approved before it, for two minutes and no longer', async () => {
    const who = await newPerson()
    const [late, lost] = [await plant(), await plant()]
    for (const code of [late, lost]) {
      await age(code, '595 seconds')
      expect((await decide(who.cookie, code)).status).toBe(200)
    }
    await age(late, '100 seconds')
    expect((await poll(late)).status).toBe(200)
    await age(lost, '130 seconds')
    expect(errorOf(await poll(lost))).toBe('expired_token')
    const early = await plant()
    expect((await decide(who.cookie, early)).status).toBe(200)
    await age(early, '130 seconds')
    expect(errorOf(await poll(early))).toBe('expired_token')
  })
})

describe('nobody gets more than was approved', () => {
  test('a person finds five wrong codes, then waits; the right one does not count', async () => {
    const [who, code] = [await newPerson(), await plant()]
    for (let n = 0; n < 7; n += 1) expect((await show(who.cookie, code.user_code)).status).toBe(200)
    for (let n = 0; n < 5; n += 1) expect(await show(who.cookie, 'BBBB-BBBB')).toEqual(unknown)
    expect((await show(who.cookie, code.user_code)).status).toBe(429)
    expect((await decide(who.cookie, code)).status).toBe(429)
    expect((await show((await newPerson()).cookie, code.user_code)).status).toBe(200)
  })

  test('scopes beyond the workspace, another workspace and none are refused, and the code stays', async () => {
    const [who, stranger] = [await newPerson('member'), await newPerson()]
    await world.sql(`update identity.brands set scope_ceiling = '{brand:read}' where id = $1`, [who.brand_id])
    const started = await start({ scopes: ['memory:write'] }, elsewhere())
    expect(await decide(who.cookie, started)).toEqual({
      status: 403,
      body: { detail: 'The workspace policy does not allow scope memory:write' },
    })
    expect((await decide(who.cookie, started, 'approve', { brand_id: stranger.brand_id })).status).toBe(404)
    const guest = await world.newCookie(await world.newPerson(), null)
    expect((await decide(guest, started)).status).toBe(403)
    expect((await show(stranger.cookie, started.user_code)).status).toBe(200)
    // The policy counts when the token is made, too.
    expect((await decide(stranger.cookie, started)).status).toBe(200)
    await world.sql(`update identity.brands set scope_ceiling = '{}' where id = $1`, [stranger.brand_id])
    expect((await poll(started)).status).toBe(403)
  })

  test('a guest without a workspace approves a session, which has none either', async () => {
    const person_id = await world.newPerson()
    const code = await plant()
    expect((await decide(await world.newCookie(person_id, null), code)).status).toBe(200)
    expect((await poll(code)).body).toMatchObject({ token_type: 'Cookie', brand_id: null })
  })

  test('what a session approved ends with it, with all others, and with the membership of a token', async () => {
    const who = await newPerson()
    const approved = async (cookie: string, asked?: object) => {
      const code = asked ? await start(asked, elsewhere()) : await plant()
      expect((await decide(cookie, code)).status).toBe(200)
      return code
    }
    const leaving = await world.newCookie(who.person_id, who.brand_id)
    const first = await approved(leaving)
    await world.made({ cookie: leaving }, 'POST', '/api/v1/auth/sign-out')
    expect(errorOf(await poll(first))).toBe('expired_token')
    const second = await approved(who.cookie)
    await world.made({ cookie: who.cookie }, 'DELETE', '/api/v1/me/sessions')
    expect(errorOf(await poll(second))).toBe('expired_token')
    const third = await approved(who.cookie, { scopes: [] })
    await world.sql(
      `update identity.memberships set status = 'removed', removed_at = now() where person_id = $1`,
      [who.person_id],
    )
    expect(errorOf(await poll(third))).toBe('access_denied')
    expect(await world.sql('select 1 from identity.tokens where person_id = $1', [who.person_id])).toEqual([])
  })

  test('tokens and other sites neither look nor decide', async () => {
    const [who, code] = [await newPerson(), await plant()]
    const token = await world.newToken(who, ['brand:read'])
    const body = { user_code: code.user_code, decision: 'approve' }
    expect((await world.call({ token }, 'POST', `${device}/approve`, body)).status).toBe(401)
    expect((await world.call(null, 'POST', `${device}/approve`, body)).status).toBe(401)
    const crossed = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }
    for (const [by, path, sent] of [
      [who, 'approve', body],
      [null, 'code', {}],
      [null, 'token', { device_code: code.device_code }],
    ] as const)
      expect(
        (await world.call(by && { cookie: by.cookie }, 'POST', `${device}/${path}`, sent, crossed)).status,
      ).toBe(403)
    expect(errorOf(await poll(code))).toBe('authorization_pending')
  })

  test('a network waits with so many codes, and the installation with so many', async () => {
    const from = elsewhere()
    await world.sql(
      `insert into identity.attempt_limits (key, window_end, failures) values ($1, now() + interval '9 minutes', 49)`,
      [`device-code:${from['x-forwarded-for']}`],
    )
    await start({}, from)
    expect((await world.call(null, 'POST', `${device}/code`, {}, from)).status).toBe(429)
    await world.sql(
      `insert into identity.device_codes (id, device_digest, user_digest, network, interval_seconds, expires_at)
       select gen_random_uuid(), uuid_send(gen_random_uuid()), uuid_send(gen_random_uuid()), 'full', 5, now() + interval '1 hour'
       from generate_series(1, 10000)`,
    )
    expect(await world.call(null, 'POST', `${device}/code`, {}, elsewhere())).toEqual({
      status: 429,
      body: { detail: 'Too many sign-ins are waiting; try again later' },
    })
    await world.sql(
      `update identity.device_codes set expires_at = now() - interval '1 second' where network = 'full'`,
    )
    await start({}, elsewhere())
  })

  test('only digests are kept of what was handed out', async () => {
    const who = await newPerson()
    const started = await start({ host: 'kept-host' }, elsewhere())
    await decide(who.cookie, started)
    const { access_token } = (await poll(started)).body
    const rows = await world.sql<{ text: string }>(
      `select d::text as text from identity.device_codes d union all select s::text from identity.sessions s
       union all select e::text from identity.platform_entries e union all select data::text from pgboss.job`,
    )
    const all = rows.map(({ text }) => text).join('\n')
    expect(all).toContain(digestOf(access_token))
    for (const secret of [
      started.device_code,
      started.user_code,
      started.user_code.replace('-', ''),
      access_token,
    ])
      expect(all).not.toContain(secret)
  })
})

test('the person is told by e-mail which program they have let in, and ended codes are swept', async () => {
  const who = await newPerson()
  const email = newMailAddress()
  await world.sql('update identity.people set email = $2 where id = $1', [who.person_id, email])
  const started = await start({ host: 'letter-host', scopes: ['brand:read'] }, elsewhere())
  const network = `198.51.100.${networks}`
  expect((await decide(who.cookie, started)).status).toBe(200)
  const [ended, waiting] = [await plant(), await plant()]
  await age(ended, '11 minutes')
  await server.start('worker')
  const letter = await waitFor(async () => (await listLetters(email))[0], 60_000)
  expect(letter.subject).toBe('A program got an access token of yours')
  expect(letter.text).toContain(
    `on a computer that calls itself letter-host, with crewhall, from ${network}.`,
  )
  expect(letter.text).toContain('the scopes brand:read')
  await world.sql(`update jobs.schedules set next_at = now() where name = 'platform.sweep'`)
  const isKept = async ({ device_code }: { device_code: string }) =>
    (
      await world.sql(`select 1 from identity.device_codes where device_digest = decode($1, 'hex')`, [
        digestOf(device_code),
      ])
    ).length === 1
  await waitFor(async () => !(await isKept(ended)), 20_000)
  expect(await isKept(waiting)).toBe(true)
})
