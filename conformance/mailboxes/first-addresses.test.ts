import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cookieOf, json, newEmail, signUp } from '@crewhall/testkit/people.ts'
import { compiled, root } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import type pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { newName, ownAddress, signUpAs } from './mail-people.ts'

const server = useServer('product')
const get = (path: string, init?: RequestInit) => server.get(path, init)
let admin: pg.Client
beforeAll(async () => {
  admin = await server.connection('superuser')
})

async function addressOfNew(email: string): Promise<string> {
  const { status, headers } = await signUpAs(get, email)
  expect(status).toBe(201)
  return String((await ownAddress(get, { headers })).body.address)
}

async function signIn(email: string, password: string) {
  const response = await get('/api/v1/auth/sign-in', json({ email, password }))
  expect(response.status).toBe(200)
  return { headers: { cookie: cookieOf(response) } }
}

describe('MAIL-01: somebody who signs up has an address from the start', () => {
  const tag = randomBytes(3).toString('hex')
  test.for([
    [`ann${tag}@example.test`, `ann${tag}`],
    [`Ann.Bell${tag}@example.test`, `ann-bell${tag}`],
    [`carl${tag}+news@example.test`, `carl${tag}`],
    [`_dora${tag}_@example.test`, `dora${tag}`],
    [`émile${tag}@example.test`, `emile${tag}`],
    [`${'x'.repeat(40)}${tag}@example.test`, 'x'.repeat(30)],
    [`${'y'.repeat(29)}.${tag}@example.test`, 'y'.repeat(29)],
  ])('%s becomes %s', async ([email = '', name]) => {
    expect(await addressOfNew(email)).toBe(`${name}@mail.test`)
  })

  test.for([
    ['jo', /^jo-\d+@/],
    ['postmaster', /^postmaster-\d+@/],
    ['mailer.daemon', /^mailer-daemon-\d+@/],
    ['李', /^person(-\d+)?@/],
    ['--', /^person(-\d+)?@/],
  ] as const)('%s alone is no name to have, so a number makes it one', async ([local, form]) => {
    expect(await addressOfNew(`${local}@${tag}.example.test`)).toMatch(form)
  })

  test('somebody whose name is taken, also by a forwarding, gets a number with it', async () => {
    const name = newName()
    expect(await addressOfNew(`${name}@one.example`)).toBe(`${name}@mail.test`)
    const second = await addressOfNew(`${name}@two.example`)
    expect(second).toMatch(new RegExp(`^${name}-\\d+@mail\\.test$`))
    await admin.query(
      `update mailboxes.names set forwards_until = platform.now() + interval '1 hour',
         quarantined_until = platform.now() + interval '1 day' where name = $1`,
      [name],
    )
    expect(await addressOfNew(`${name}@three.example`)).toMatch(new RegExp(`^${name}-\\d+@mail\\.test$`))
  })

  test('many of one name at once all get in, and no two share an address', async () => {
    const name = newName()
    const domains = Array.from({ length: 16 }, (_, at) => `d${at}.example`)
    const addresses = await Promise.all(domains.map((domain) => addressOfNew(`${name}@${domain}`)))
    expect(new Set(addresses).size).toBe(domains.length)
    for (const address of addresses) expect(address).toMatch(new RegExp(`^${name}(-\\d+)?@mail\\.test$`))
  })

  test('a sign-up that fails leaves no name behind', async () => {
    const name = newName()
    const email = `${name}@example.test`
    await addressOfNew(email)
    const count = async () =>
      (await admin.query(`select 1 from mailboxes.names where name like $1`, [`${name}%`])).rowCount
    expect(await count()).toBe(1)
    expect((await signUpAs(get, email)).status).toBe(409)
    expect(await count()).toBe(1)
  })
})

test('MAIL-01: somebody who comes by an invitation has an address', async () => {
  const host = await signUp(get)
  const email = newEmail()
  const order = json({ email }, { cookie: host.cookie })
  const invited = await get(`/api/v1/brands/${host.brand_id}/invitations`, order)
  const { id } = (await invited.json()) as { id: number }
  // As the mail job would have made the link.
  const token = randomBytes(32).toString('base64url')
  const digest = createHash('sha256').update(token).digest('hex')
  await admin.query('update workspaces.invitations set token_hash = $2 where id = $1', [id, digest])
  const account = { full_name: 'Bo Example', password: 'correct horse battery' }
  expect((await get('/api/v1/invitations/accept', json({ token, ...account }))).status).toBe(200)
  const { status, body } = await ownAddress(get, await signIn(email, account.password))
  expect({ status, address: body.address }).toEqual({
    status: 200,
    address: `${email.split('@')[0]}@mail.test`,
  })
})

test('MAIL-01: the first platform admin, made on the command line, has an address', async () => {
  const email = newEmail()
  const password = 'correct horse battery'
  const args = ['apps/server/src/create-staff.ts', '--email', email, '--name', 'Op Example']
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: {
      ...compiled,
      PATH: process.env.PATH,
      DATABASE_URL: server.database.url,
      REDIS_URL: 'redis://127.0.0.1:1',
    },
  })
  child.stdin.end(password)
  expect((await once(child, 'close'))[0]).toBe(0)
  expect((await ownAddress(get, await signIn(email, password))).status).toBe(200)
})
