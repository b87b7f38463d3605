import { randomUUID } from 'node:crypto'
import { signUp } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, onTestFinished, test } from 'vitest'

const server = useServer('product')

const left = `
  select 'attempts' as what, array(select key from identity.attempt_limits where key like 'k4:%' and failures < 100 order by 1) as kept
  union all select 'sessions', array(select token_hash::text from identity.sessions where token_hash::text like '%k4%' order by 1)
  union all select 'devices', array(select digest from identity.devices where digest like 'k4:%' order by 1)
  union all select 'resets', array(select token_hash from identity.password_resets where token_hash like 'k4:%' order by 1)
  union all select 'tokens', array(select name from identity.tokens where name like 'k4:%' order by 1)
  union all select 'invitations', array(select email from workspaces.invitations where email like 'k4-%' order by 1)
  union all select 'answers', array(select body from platform.idempotency_keys where body like 'k4:%' order by 1)
  union all select 'effects', array(select key from jobs.effects where key like 'k4:%' order by 1)`

test('K4: what has ended by its age is swept by one job, table by table, and nothing else', async () => {
  const owner = await signUp((path, init) => server.get(path, init))
  const client = await server.connection('superuser')
  onTestFinished(() => client.end())
  const ids = [owner.brand_id, owner.person_id]
  await client.query(`
    insert into identity.attempt_limits (key, window_end, failures)
    select 'k4:many:' || n, now() - interval '1 minute', 100 from generate_series(1, 5000) n
    union all values ('k4:old', now() - interval '1 minute', 1), ('k4:open', now() + interval '10 minutes', 1);
    insert into jobs.effects (key, job_id, fence, done_at) values
      ('k4:old', '${randomUUID()}', 1, now() - interval '31 days'), ('k4:young', '${randomUUID()}', 1, now() - interval '29 days')`)
  await client.query(
    `insert into identity.sessions (token_hash, person_id, brand_id, expires_at) values
       ('k4:ended', $2, $1, now() - interval '1 minute'), ('k4:live', $2, $1, now() + interval '1 day')`,
    ids,
  )
  await client.query(
    `insert into identity.devices (person_id, digest, seen_at) values
       ($1, 'k4:forgotten', now() - interval '91 days'), ($1, 'k4:known', now() - interval '89 days')`,
    [owner.person_id],
  )
  await client.query(
    `insert into identity.password_resets (token_hash, person_id, expires_at) values
       ('k4:ended', $1, now() - interval '1 minute'), ('k4:live', $1, now() + interval '1 minute')`,
    [owner.person_id],
  )
  await client.query(
    `insert into identity.tokens (brand_id, id, person_id, name, last_four, token_hash, scopes, expires_at, revoked_at)
     select $1, gen_random_uuid(), $2, name, 'abcd', uuid_send(gen_random_uuid()), '{}', expires, revoked
     from (values ('k4:expired', now() - interval '91 days', null), ('k4:just expired', now() - interval '89 days', null),
       ('k4:revoked', now() + interval '9 days', now() - interval '91 days'),
       ('k4:just revoked', now() + interval '9 days', now() - interval '89 days'),
       ('k4:live', now() + interval '9 days', null)) v (name, expires, revoked)`,
    ids,
  )
  await client.query(
    `insert into workspaces.invitations (brand_id, email, role, status, expires_at, closed_at) values
       ($1, 'k4-closed@example.test', 'member', 'revoked', now() - interval '95 days', now() - interval '91 days'),
       ($1, 'k4-forgotten@example.test', 'member', 'pending', now() - interval '91 days', null),
       ($1, 'k4-late@example.test', 'member', 'pending', now() - interval '1 day', null),
       ($1, 'k4-open@example.test', 'member', 'pending', now() + interval '1 day', null)`,
    [owner.brand_id],
  )
  await client.query(
    `insert into platform.idempotency_keys (brand_id, digest, request, status, headers, body, created_at)
     select $1, decode(md5(body), 'hex'), '', 200, '{}', body, made
     from (values ('k4:old', now() - interval '25 hours'), ('k4:young', now() - interval '23 hours')) v (body, made)`,
    [owner.brand_id],
  )
  const worker = await server.start('worker')
  onTestFinished(() => worker.stop().then(() => {}))
  await client.query(`update jobs.schedules set next_at = now() where name = 'platform.sweep'`)
  await waitFor(async () => {
    const { rows } = await client.query(
      `select from jobs.effects where key = 'k4:old' union all select from workspaces.invitations where email = 'k4-closed@example.test'`,
    )
    return rows.length === 0
  }, 20_000)
  const { rows } = await client.query<{ what: string; kept: string[] }>(left)
  expect(Object.fromEntries(rows.map(({ what, kept }) => [what, kept]))).toEqual({
    attempts: ['k4:open'],
    sessions: ['k4:live'],
    devices: ['k4:known'],
    resets: ['k4:live'],
    tokens: ['k4:just expired', 'k4:just revoked', 'k4:live'],
    invitations: ['k4-late@example.test', 'k4-open@example.test'],
    answers: ['k4:young'],
    effects: ['k4:young'],
  })
  const many = await client.query(`select from identity.attempt_limits where key like 'k4:many:%' limit 1`)
  expect(many.rows).toHaveLength(0)
})

test('K4: a session may have a number beyond 32 bits', async () => {
  const client = await server.connection('superuser')
  onTestFinished(() => client.end())
  await client.query(`select setval(pg_get_serial_sequence('identity.sessions', 'id'), 3000000000)`)
  const owner = await signUp((path, init) => server.get(path, init))
  const answer = await server.get('/api/v1/me', { headers: { cookie: owner.cookie } })
  expect(answer.status).toBe(200)
  const { rows } = await client.query('select id::text from identity.sessions where person_id = $1', [
    owner.person_id,
  ])
  expect(rows).toEqual([{ id: '3000000001' }])
})
