import { randomBytes } from 'node:crypto'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { ImapFlow } from 'imapflow'
import { beforeAll, expect, test } from 'vitest'
import { type Brand, type Person, useGuests } from './guests-world.ts'

const server = useServer('product', { PUBLIC_URL: 'https://crewhall.test' })
const world = useGuests(server)
const { mail } = readServiceFacts()
beforeAll(async () => {
  await server.start('worker')
})

const newAddress = () => `guest-${randomBytes(6).toString('hex')}@${mail.domain}`
const invite = ({ id, admin }: Brand, user_id: number) =>
  world.call(admin, 'POST', `/api/v1/brands/${id}/guests/${user_id}/make-member`)

/** A guest of a docs space who really gets mail. */
async function guestWithMail(brand: Brand): Promise<Person & { space_id: string }> {
  const person = await world.newPerson('Gus Guest', newAddress())
  const space_id = await world.newSpace(brand)
  await world.admit(brand, space_id, person, 'editor')
  return { ...person, space_id }
}

async function mailsOf(address: string): Promise<string[]> {
  const client = new ImapFlow({
    host: mail.imap.host,
    port: mail.imap.port,
    secure: false,
    logger: false,
    auth: { user: address, pass: mail.imap_password },
  })
  await client.connect()
  try {
    await client.mailboxOpen('INBOX')
    const texts: string[] = []
    for await (const { bodyParts } of client.fetch('1:*', { bodyParts: ['1'] })) {
      // Quoted-printable: lines are broken and equals signs are written as numbers.
      const text = bodyParts?.get('1')?.toString() ?? ''
      texts.push(text.replaceAll('=\r\n', '').replaceAll('=3D', '='))
    }
    return texts
  } finally {
    await client.logout()
  }
}

const tokenIn = (text: string): string | undefined =>
  /https:\/\/crewhall\.test\/dashboard\/invite\?token=([\w-]{43})/.exec(text)?.[1]

/** Of the mails with a link; another one says what is shared with a guest. */
const tokensFor = async (address: string) =>
  (await mailsOf(address)).map(tokenIn).filter((token) => token !== undefined)

const mailedToken = (address: string): Promise<string> =>
  waitFor(async () => {
    const [token] = await tokensFor(address)
    return token
  }, 20_000)

const accept = async (person: Person, token: string) =>
  world.call(await world.sessionOf(person), 'POST', '/api/v1/invitations/accept', { token })

test('GST-G6: the guest gets one mail with a link, after the 201', async () => {
  const brand = await world.newBrand()
  const guest = await guestWithMail(brand)
  expect((await invite(brand, guest.id)).status).toBe(201)
  expect(await mailedToken(guest.email)).toMatch(/^[\w-]{43}$/)
  expect(await tokensFor(guest.email)).toHaveLength(1)
})

test('GST-G6: a mail that cannot be delivered does not fail the 201', async () => {
  const brand = await world.newBrand()
  // An address of a domain that the mail server does not know.
  const guest = await world.newGuest(brand)
  expect((await invite(brand, guest.id)).status).toBe(201)
})

test('GST-G5, GST-14: the mailed link makes the guest a member, and ends their access as a guest', async () => {
  const brand = await world.newBrand()
  const guest = await guestWithMail(brand)
  const board_id = await world.giveBoard(brand, guest)
  await invite(brand, guest.id)
  const token = await mailedToken(guest.email)
  expect((await world.guestsOf(brand)).body.guests[0]?.access).toHaveLength(2)
  expect(await accept(guest, token)).toEqual({
    status: 200,
    body: { brand_id: brand.id, user_id: guest.id, role: 'member' },
  })
  expect((await world.guestsOf(brand)).body).toEqual({ guests: [], total: 0 })
  const session = await world.sessionOf(guest)
  const paths = [`/api/v1/docs/shared/${guest.space_id}`, `/api/v1/board/shared/${board_id}`]
  for (const path of paths) expect((await world.call(session, 'GET', path)).status).toBe(404)
})

test('GST-G5: the new member reads as a member what they were shown as a guest', async () => {
  const brand = await world.newBrand()
  const guest = await guestWithMail(brand)
  const board_id = await world.giveBoard(brand, guest)
  await invite(brand, guest.id)
  await accept(guest, await mailedToken(guest.email))
  const cookie = await world.workspaces.newCookie(guest.id, brand.id)
  for (const [path, status] of [
    [`/api/v1/docs/spaces/${guest.space_id}`, 200],
    [`/api/v1/board/boards/${board_id}`, 200],
    [`/api/v1/docs/shared/${guest.space_id}`, 404],
    [`/api/v1/board/shared/${board_id}`, 404],
  ] as const)
    expect([path, (await world.call({ cookie }, 'GET', path)).status]).toEqual([path, status])
})

test('GST-15, GST-G5: whoever has accepted is a member, and is no guest to be removed', async () => {
  const brand = await world.newBrand()
  const guest = await guestWithMail(brand)
  await invite(brand, guest.id)
  await accept(guest, await mailedToken(guest.email))
  expect(await invite(brand, guest.id)).toMatchObject({
    status: 400,
    body: { detail: 'User is already a member of this brand' },
  })
  const removal = await world.call(brand.admin, 'DELETE', `/api/v1/brands/${brand.id}/guests/${guest.id}`)
  expect(removal).toEqual({ status: 404, body: { detail: 'Guest not found' } })
})

test('GST-G8: the mailed link of a guest who was removed is dead', async () => {
  const brand = await world.newBrand()
  const guest = await guestWithMail(brand)
  await invite(brand, guest.id)
  const token = await mailedToken(guest.email)
  await world.call(brand.admin, 'DELETE', `/api/v1/brands/${brand.id}/guests/${guest.id}`)
  expect(await accept(guest, token)).toEqual({
    status: 400,
    body: { detail: 'This invitation is no longer valid' },
  })
  const members = await world.workspaces.sql('select 1 from identity.memberships where person_id = $1', [
    guest.id,
  ])
  expect(members).toEqual([])
})

test('a member who was a guest cannot be made a guest again', async () => {
  const brand = await world.newBrand()
  const guest = await guestWithMail(brand)
  await invite(brand, guest.id)
  await accept(guest, await mailedToken(guest.email))
  const board_id = await world.newBoard(brand)
  for (const path of [
    `/api/v1/docs/spaces/${guest.space_id}/guests`,
    `/api/v1/board/boards/${board_id}/guests`,
  ]) {
    const again = await world.call(brand.admin, 'POST', path, { email: guest.email, role: 'viewer' })
    expect(again).toEqual({ status: 400, body: { detail: 'User is already a member of this brand' } })
  }
})
