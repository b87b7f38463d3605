import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { availability, type MailPerson, newMailPerson, newName, ownAddress, rename } from './mail-people.ts'

const server = useSharedServer('product')
const get = (path: string, init?: RequestInit) => server.get(path, init)
let ann: MailPerson
beforeAll(async () => {
  ann = await newMailPerson(get)
})

/** Exactly so long, and different every time. */
const ofLength = (length: number) => newName().padEnd(length, 'x').slice(0, length)

test('MAIL-02, MAIL-03, MAIL-04: availability answers the name, the mail domain and a boolean', async () => {
  const name = newName()
  const answer = await availability(get, ann, name)
  expect(answer).toEqual({ status: 200, body: { name, domain: 'mail.test', available: true } })
})

test.for([3, 30])('MAIL-05: a name of %i characters is a name', async (length) => {
  const bert = await newMailPerson(get)
  const name = ofLength(length)
  expect((await availability(get, bert, name)).status).toBe(200)
  expect(await rename(get, bert, { name })).toMatchObject({
    status: 200,
    body: { address: `${name}@mail.test` },
  })
})

test.for(['ab', 'x'.repeat(31), '', 'a', 'x'.repeat(5000)])(
  'MAIL-05, MAIL-08, MAIL-09: a name that is too short or too long is refused, number %$',
  async (name) => {
    expect((await availability(get, ann, name)).status).toBe(422)
    expect((await rename(get, ann, { name })).status).toBe(422)
  },
)

const foreign = {
  'a capital letter': 'Annabel',
  'only capital letters': 'ANN',
  'an underscore': 'ann_bell',
  'a full stop': 'ann.bell',
  'a plus sign': 'ann+bell',
  'an at sign': 'ann@mail.test',
  'a space': 'ann bell',
  'a space at the end': 'annbell ',
  'a line break at the end': 'annbell\n',
  'a carriage return and a line break at the end': 'annbell\r\n',
  'a second line': 'ann\nbell',
  'a letter with a mark': 'annébell',
  'a combining mark': 'anne\u0301bell',
  'letters of another script that look the same': 'аnnbеll',
  'wide letters': 'ａｎｎｂｅｌｌ',
  'digits of another script': 'ann١٢٣',
  'a sign that becomes a letter in lower case': 'annbel\u212A',
  'a dash that is no hyphen': 'ann–bell',
  'a zero byte': 'ann\0bell',
  'an unseen character': 'ann\u200Bbell',
}
test.for(Object.entries(foreign))(
  'MAIL-06, MAIL-08, MAIL-09: %s is refused, not repaired',
  async ([, name]) => {
    const before = await ownAddress(get, ann)
    expect((await availability(get, ann, name)).status).toBe(422)
    expect((await rename(get, ann, { name })).status).toBe(422)
    expect(await ownAddress(get, ann)).toEqual(before)
  },
)

test.for(['-annbell', 'annbell-', '-annbell-', '---'])(
  'MAIL-07, MAIL-08, MAIL-09: %s does not start and end with a letter or number',
  async (name) => {
    expect((await availability(get, ann, name)).status).toBe(422)
    expect((await rename(get, ann, { name })).status).toBe(422)
  },
)

test.for(['1a2', 'a-1', '2-b'])('MAIL-06, MAIL-07: %s is a name', async (name) => {
  const bert = await newMailPerson(get)
  expect((await availability(get, bert, name)).status).toBe(200)
  expect((await rename(get, bert, { name })).status).toBe(200)
})

test.for(['', '?', '?nam=abc', '?name=abc&name=abd'])(
  'MAIL-G1: availability with the query %j is refused with 422',
  async (query) => {
    const response = await get(`/api/v1/me/mail/address/availability${query}`, { headers: ann.headers })
    expect(response.status).toBe(422)
    const { detail } = (await response.json()) as { detail: string }
    expect(detail).toMatch(/^name: /)
  },
)

test.for([undefined, null, {}, [], 'annbell', { name: null }, { name: 7 }, { name: ['annbell'] }])(
  'MAIL-G1, MAIL-09: PUT with the body %j is refused with 422',
  async (body) => {
    expect((await rename(get, ann, body)).status).toBe(422)
  },
)

test.for(['a--b', 'a---------b', '12345', '007'])(
  'MAIL-G2: %s is a name: double hyphens and digits alone are not forbidden',
  async (name) => {
    const bert = await newMailPerson(get)
    expect(await availability(get, bert, name)).toMatchObject({ status: 200, body: { available: true } })
    expect((await rename(get, bert, { name })).status).toBe(200)
  },
)

const reserved = ['postmaster', 'abuse', 'hostmaster', 'webmaster', 'noc', 'security', 'admin', 'root']
test.for([...reserved, 'mailer-daemon', 'no-reply', 'noreply', 'administrator', 'support'])(
  'MAIL-G4: the role name %s is nobody’s to take',
  async (name) => {
    expect((await availability(get, ann, name)).body).toEqual({ name, domain: 'mail.test', available: false })
    expect(await rename(get, ann, { name })).toEqual({
      status: 409,
      body: { detail: 'This Crewhall address is not available' },
    })
  },
)

test('MAIL-G4, MAIL-G6: an operator reserves further names and chooses the word for the service', async () => {
  const api = await server.start('api', { MAIL_RESERVED_NAMES: 'chair, board', SERVICE_NAME: 'Werkhalle' })
  const other = (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init)
  for (const name of ['chair', 'board', 'postmaster']) {
    expect((await availability(other, ann, name)).body.available).toBe(false)
    expect(await rename(other, ann, { name })).toEqual({
      status: 409,
      body: { detail: 'This Werkhalle address is not available' },
    })
  }
  expect((await availability(get, ann, 'chair')).body.available).toBe(true)
})
