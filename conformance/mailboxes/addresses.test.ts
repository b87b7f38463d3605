import { scopes as allScopes, defaultCeiling } from '@crewhall/contracts/scopes.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import type pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  availability,
  type MailPerson,
  newMailPerson,
  newName,
  ownAddress,
  rename,
  renamed,
  tokenHeaders,
} from './mail-people.ts'

const server = useSharedServer('product')
const get = (path: string, init?: RequestInit) => server.get(path, init)
const notAvailable = { status: 409, body: { detail: 'This Crewhall address is not available' } }
let admin: pg.Client
beforeAll(async () => {
  admin = await server.connection('superuser')
})

/** Every row that a refused call could have changed. */
async function everything(): Promise<string> {
  const { rows } = await admin.query(
    `select n::text from mailboxes.names n union all select b::text from mailboxes.mailboxes b order by 1`,
  )
  return JSON.stringify(rows)
}

const setEmail = (person_id: number, email: unknown) =>
  admin.query('update identity.people set email = $2 where id = $1', [person_id, email])
async function emailOf({ person_id }: MailPerson): Promise<unknown> {
  const { rows } = await admin.query('select email from identity.people where id = $1', [person_id])
  return rows[0]?.email
}

const nameOf = async (person: MailPerson) =>
  String((await ownAddress(get, person)).body.address).split('@')[0]

describe('a rename', () => {
  test('MAIL-01, MAIL-13, MAIL-14, MAIL-15: moves the address on the mail domain and tells both', async () => {
    const ann = await newMailPerson(get)
    const old = await ownAddress(get, ann)
    expect(old.body.address).toMatch(/^[a-z0-9-]{3,30}@mail\.test$/)
    const name = newName()
    const { status, body } = await rename(get, ann, { name })
    expect(status).toBe(200)
    expect(body).toEqual({
      address: `${name}@mail.test`,
      forwarding_from: old.body.address,
      forwards_until: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/),
    })
    expect(await ownAddress(get, ann)).toEqual({
      status: 200,
      body: {
        address: body.address,
        can_rename: true,
        forwarding: [{ address: old.body.address, forwards_until: body.forwards_until }],
      },
    })
  })

  test('MAIL-16: forwards for 30 times 24 hours from the change on', async () => {
    const ann = await newMailPerson(get)
    const before = Date.now()
    const { forwards_until } = await renamed(get, ann, newName())
    const after = Date.now()
    const days30 = 30 * 24 * 60 * 60 * 1000
    const until = Date.parse(forwards_until)
    expect(until).toBeGreaterThanOrEqual(before + days30 - 5)
    expect(until).toBeLessThanOrEqual(after + days30 + 5)
  })

  test('MAIL-G5: a second rename keeps every earlier address with its own date', async () => {
    const ann = await newMailPerson(get)
    const [b, c] = [newName(), newName()]
    const first = await renamed(get, ann, b)
    const second = await renamed(get, ann, c)
    expect(second.forwarding_from).toBe(`${b}@mail.test`)
    const { body } = await ownAddress(get, ann)
    expect(body.address).toBe(`${c}@mail.test`)
    expect(body.forwarding).toEqual([
      { address: `${b}@mail.test`, forwards_until: second.forwards_until },
      { address: first.forwarding_from, forwards_until: first.forwards_until },
    ])
  })

  test('MAIL-G8: back to one’s own forwarding name is allowed, and its forwarding ends', async () => {
    const ann = await newMailPerson(get)
    const [a = '', b] = [await nameOf(ann), newName()]
    await renamed(get, ann, b)
    expect((await availability(get, ann, a)).body.available).toBe(true)
    const back = await renamed(get, ann, a)
    expect(back).toMatchObject({ address: `${a}@mail.test`, forwarding_from: `${b}@mail.test` })
    expect((await ownAddress(get, ann)).body).toMatchObject({
      address: `${a}@mail.test`,
      forwarding: [{ address: `${b}@mail.test`, forwards_until: back.forwards_until }],
    })
  })

  test('S18 MAIL-G9: a person has three names that take mail, and is told when there can be another', async () => {
    const ann = await newMailPerson(get)
    const first = (await nameOf(ann)) ?? ''
    const { forwards_until } = await renamed(get, ann, newName())
    const third = newName()
    await renamed(get, ann, third)
    const before = await everything()
    const refused = {
      status: 409,
      body: { detail: `You have 3 Crewhall addresses; another one is possible from ${forwards_until}` },
    }
    const answers = await Promise.all(Array.from({ length: 10 }, () => rename(get, ann, { name: newName() })))
    expect(answers).toEqual(answers.map(() => refused))
    expect(await everything()).toBe(before)
    // Going back and forth among the three takes nothing from anybody.
    for (const name of [first, third, first]) expect((await rename(get, ann, { name })).status).toBe(200)
  })

  test('S17: an account that signs in with its name on the mail domain follows a rename', async () => {
    const ann = await newMailPerson(get)
    const own = async () => (await ownAddress(get, ann)).body.address
    await setEmail(ann.person_id, await own())
    await renamed(get, ann, newName())
    expect(await emailOf(ann)).toBe(await own())
    const elsewhere = `${newName()}@elsewhere.test`
    await setEmail(ann.person_id, elsewhere)
    await renamed(get, ann, newName())
    expect(await emailOf(ann)).toBe(elsewhere)
  })

  test('S17: a name that is the address of another account is never given out', async () => {
    const [ann, bert] = [await newMailPerson(get), await newMailPerson(get)]
    const name = newName()
    const [, domain] = String((await ownAddress(get, bert)).body.address).split('@')
    await setEmail(bert.person_id, `${name}@${domain}`)
    expect((await availability(get, ann, name)).body).toMatchObject({ available: false })
    expect(await rename(get, ann, { name })).toEqual(notAvailable)
    expect(await nameOf(await newMailPerson(get, name))).not.toBe(name)
    // For its own person it is free.
    expect((await rename(get, bert, { name })).status).toBe(200)
  })
})

describe('a name that is not to be had', () => {
  test('MAIL-10, MAIL-19: is one that somebody else has', async () => {
    const [ann, bert] = [await newMailPerson(get), await newMailPerson(get)]
    const name = (await nameOf(bert)) ?? ''
    const before = await everything()
    expect((await availability(get, ann, name)).body).toEqual({ name, domain: 'mail.test', available: false })
    expect(await rename(get, ann, { name })).toEqual(notAvailable)
    expect(await everything()).toBe(before)
  })

  test('MAIL-11, MAIL-20: is one that still forwards for somebody else', async () => {
    const [ann, bert] = [await newMailPerson(get), await newMailPerson(get)]
    const name = (await nameOf(bert)) ?? ''
    await renamed(get, bert, newName())
    const before = await everything()
    expect((await availability(get, ann, name)).body.available).toBe(false)
    expect(await rename(get, ann, { name })).toEqual(notAvailable)
    expect(await everything()).toBe(before)
  })

  test('MAIL-21, MAIL-G3, MAIL-G7: is the current one, and no forwarding comes of asking for it', async () => {
    const ann = await newMailPerson(get)
    const name = (await nameOf(ann)) ?? ''
    const before = await everything()
    expect((await availability(get, ann, name)).body).toEqual({ name, domain: 'mail.test', available: false })
    expect(await rename(get, ann, { name })).toEqual({
      status: 409,
      body: { detail: 'This is already your Crewhall address' },
    })
    expect(await everything()).toBe(before)
    expect((await ownAddress(get, ann)).body.forwarding).toEqual([])
  })

  test('MAIL-G6, MAIL-20: is refused in the same words whoever has it and why', async () => {
    const [ann, bert] = [await newMailPerson(get), await newMailPerson(get)]
    const old = (await nameOf(bert)) ?? ''
    const current = newName()
    await renamed(get, bert, current)
    const answers = await Promise.all(['postmaster', old, current].map((name) => rename(get, ann, { name })))
    expect(answers).toEqual([notAvailable, notAvailable, notAvailable])
  })
})

describe('a person without an address on the mail domain', () => {
  const takeAway = async ({ person_id }: MailPerson, elsewhere?: string) => {
    await admin.query('delete from mailboxes.names where person_id = $1', [person_id])
    if (elsewhere)
      await admin.query('update mailboxes.mailboxes set external_address = $2 where person_id = $1', [
        person_id,
        elsewhere,
      ])
    else await admin.query('delete from mailboxes.mailboxes where person_id = $1', [person_id])
  }

  test('MAIL-12, MAIL-23: has nothing to rename when there is no address at all', async () => {
    const ann = await newMailPerson(get)
    await takeAway(ann)
    const before = await everything()
    const missing = { status: 404, body: { detail: 'Not found' } }
    expect(await availability(get, ann, newName())).toEqual(missing)
    expect(await rename(get, ann, { name: newName() })).toEqual(missing)
    expect(await ownAddress(get, ann)).toEqual(missing)
    expect(await everything()).toBe(before)
  })

  test('MAIL-12, MAIL-22: cannot rename an address on another domain', async () => {
    const ann = await newMailPerson(get)
    await takeAway(ann, 'ann@elsewhere.example')
    const before = await everything()
    expect(await availability(get, ann, newName())).toEqual({ status: 404, body: { detail: 'Not found' } })
    expect(await rename(get, ann, { name: newName() })).toEqual({
      status: 409,
      body: { detail: 'This mailbox cannot be renamed' },
    })
    expect((await ownAddress(get, ann)).body).toEqual({
      address: 'ann@elsewhere.example',
      can_rename: false,
      forwarding: [],
    })
    expect(await everything()).toBe(before)
  })

  test('MAIL-08, MAIL-09: is told about a malformed name first', async () => {
    const ann = await newMailPerson(get)
    await takeAway(ann)
    expect((await availability(get, ann, 'No')).status).toBe(422)
    expect((await rename(get, ann, { name: 'No' })).status).toBe(422)
  })
})

describe('whose address', () => {
  test.for([[], ...defaultCeiling.map((scope) => [scope]), [...defaultCeiling], [...allScopes]])(
    'AUTH-18, MAIL-24: a token with the scopes %j acts on its own person and on nobody else',
    async (scopes) => {
      const [ann, bert] = [await newMailPerson(get), await newMailPerson(get)]
      await admin.query('update identity.brands set scope_ceiling = $2 where id = $1', [
        ann.brand_id,
        allScopes,
      ])
      const token = { headers: await tokenHeaders(get, ann, scopes) }
      const of_bert = await ownAddress(get, bert)
      const name = newName()
      expect((await availability(get, token, name)).body.available).toBe(true)
      await renamed(get, token, name)
      expect((await ownAddress(get, token)).body.address).toBe(`${name}@mail.test`)
      expect((await ownAddress(get, ann)).body.address).toBe(`${name}@mail.test`)
      expect(await ownAddress(get, bert)).toEqual(of_bert)
    },
  )

  test('MAIL-24: a session acts on its own person', async () => {
    const [ann, bert] = [await newMailPerson(get), await newMailPerson(get)]
    const of_bert = await ownAddress(get, bert)
    const name = newName()
    await renamed(get, { headers: { cookie: ann.cookie } }, name)
    expect((await ownAddress(get, ann)).body.address).toBe(`${name}@mail.test`)
    expect(await ownAddress(get, bert)).toEqual(of_bert)
  })

  test('MAIL-24: no field of a request names another person', async () => {
    const [ann, bert] = [await newMailPerson(get), await newMailPerson(get)]
    const of_bert = await ownAddress(get, bert)
    const name = newName()
    const { person_id } = bert
    await rename(get, ann, { name, person_id, user_id: person_id, address: of_bert.body.address })
    expect((await ownAddress(get, ann)).body.address).toBe(`${name}@mail.test`)
    expect(await ownAddress(get, bert)).toEqual(of_bert)
  })

  test('MAIL-24: nobody without a credential reads or changes an address', async () => {
    const nobody = { headers: {} }
    for (const answer of [
      await availability(get, nobody, newName()),
      await rename(get, nobody, { name: newName() }),
      await ownAddress(get, nobody),
    ])
      expect(answer).toEqual({ status: 401, body: { detail: 'Not authenticated' } })
  })
})
