import { newEmail } from '@crewhall/testkit/people.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { headersOf } from '@crewhall/testkit/world/call.ts'
import { expect, test } from 'vitest'
import { type Brand, useGuests } from './guests-world.ts'

const server = useServer('product')
const world = useGuests(server)
const dayMs = 86_400_000

interface Invitation {
  readonly id: number
  readonly email: string
  readonly status: string
  readonly expires_at: string
  readonly created_at: string
}
const makeMember = ({ id, admin }: Brand, user_id: number | string) =>
  world.call<Invitation>(admin, 'POST', `/api/v1/brands/${id}/guests/${user_id}/make-member`)
const pending = { status: 400, body: { detail: 'An invitation is already pending for this email' } }
const notFound = { status: 404, body: { detail: 'Guest not found' } }

test('GST-11, GST-12, GST-13: a guest is invited without a body, and the invitation is pending', async () => {
  const brand = await world.newBrand()
  const { id, email } = await world.newGuest(brand)
  const { status, body } = await makeMember(brand, id)
  expect(status).toBe(201)
  expect(body).toMatchObject({ email, status: 'pending' })
  expect(Number.isInteger(body.id)).toBe(true)
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/
  expect([body.expires_at, body.created_at]).toEqual([
    expect.stringMatching(form),
    expect.stringMatching(form),
  ])
})

test('GST-G4: the invitation is good for seven days', async () => {
  const brand = await world.newBrand()
  const { body } = await makeMember(brand, (await world.newGuest(brand)).id)
  expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(7 * dayMs)
})

test('GST-14: the guest keeps their access while the invitation is open', async () => {
  const brand = await world.newBrand()
  const guest = await world.newGuest(brand)
  const before = await world.guestsOf(brand)
  expect((await makeMember(brand, guest.id)).status).toBe(201)
  expect(await world.guestsOf(brand)).toEqual(before)
  const read = await world.call(await world.sessionOf(guest), 'GET', `/api/v1/docs/shared/${guest.space_id}`)
  expect(read.status).toBe(200)
})

test('GST-11, GST-14: a guest of one board alone is invited, and opens it while the invitation is open', async () => {
  const brand = await world.newBrand()
  const guest = await world.newPerson()
  const board_id = await world.giveBoard(brand, guest)
  const before = await world.guestsOf(brand)
  expect((await makeMember(brand, guest.id)).status).toBe(201)
  expect(await world.guestsOf(brand)).toEqual(before)
  const path = `/api/v1/board/shared/${board_id}`
  expect((await world.call(await world.sessionOf(guest), 'GET', path)).status).toBe(200)
})

test('GST-15: a member is refused as a member, not as a missing guest', async () => {
  const brand = await world.newBrand()
  const member = await world.newMember(brand)
  expect(await makeMember(brand, member.id)).toEqual({
    status: 400,
    body: { detail: 'User is already a member of this brand' },
  })
})

test('GST-15: a member who still has access of a guest is a member', async () => {
  const brand = await world.newBrand()
  const { id } = await world.newGuest(brand)
  await world.workspaces.join(brand.id, 'member', id)
  expect(await makeMember(brand, id)).toMatchObject({
    status: 400,
    body: { detail: 'User is already a member of this brand' },
  })
})

test('GST-16: a second invitation is refused while the first is open', async () => {
  const brand = await world.newBrand()
  const { id } = await world.newGuest(brand)
  expect((await makeMember(brand, id)).status).toBe(201)
  expect(await makeMember(brand, id)).toEqual(pending)
})

test('GST-16: the addresses of guest and invitation are compared whatever their case', async () => {
  const brand = await world.newBrand()
  const { id, email } = await world.newGuest(brand)
  const path = `/api/v1/brands/${brand.id}/invitations`
  const invited = await world.call(brand.admin, 'POST', path, { email: email.toUpperCase(), role: 'member' })
  expect(invited.status).toBe(201)
  expect(await makeMember(brand, id)).toEqual(pending)
})

test('GST-16: an invitation to another workspace is no obstacle', async () => {
  const [brand, other] = [await world.newBrand(), await world.newBrand()]
  const guest = await world.newGuest(brand)
  await world.admit(other, await world.newSpace(other), guest)
  expect((await makeMember(other, guest.id)).status).toBe(201)
  expect((await makeMember(brand, guest.id)).status).toBe(201)
})

test('GST-17: a stranger, a guest of another workspace and a number nobody has are one answer', async () => {
  const [brand, other] = [await world.newBrand(), await world.newBrand()]
  const stranger = await world.newPerson()
  const foreign = await world.newGuest(other)
  for (const user_id of [stranger.id, foreign.id, 2_000_000_000, 0, -1, '1e3', 'nobody', '99999999999']) {
    expect([user_id, await makeMember(brand, user_id)]).toEqual([user_id, notFound])
  }
})

test('GST-17: somebody whose access to a board has ended is no guest', async () => {
  const brand = await world.newBrand()
  const guest = await world.newPerson()
  const board_id = await world.giveBoard(brand, guest)
  await world.call(brand.admin, 'DELETE', `/api/v1/board/boards/${board_id}/guests/${guest.id}`)
  expect(await makeMember(brand, guest.id)).toEqual(notFound)
})

test('GST-17: somebody whose access has ended is no guest', async () => {
  const brand = await world.newBrand()
  const { id, space_id } = await world.newGuest(brand)
  await world.call(brand.admin, 'DELETE', `/api/v1/docs/spaces/${space_id}/guests/${id}`)
  expect(await makeMember(brand, id)).toEqual(notFound)
})

test('a refused call makes no invitation, no mail and no entry of the audit', async () => {
  const brand = await world.newBrand()
  const stranger = await world.newPerson()
  const member = await world.newMember(brand)
  const written = () =>
    world.workspaces.sql(
      `select (select count(*) from workspaces.invitations where brand_id = $1)::int as invitations,
              (select count(*) from platform.audit_entries where brand_id = $1)::int as entries,
              (select count(*) from pgboss.job where name = 'workspaces.send-invitation'
               and data::text ~ ('"brand_id": ?' || $1::int || '[,}]'))::int as mails`,
      [brand.id],
    )
  await makeMember(brand, stranger.id)
  await makeMember(brand, member.id)
  expect(await written()).toEqual([{ invitations: 0, entries: 0, mails: 0 }])
  const guest = await world.newGuest(brand)
  await makeMember(brand, guest.id)
  // One entry for the access that was given, one for the invitation and one for the guest.
  expect(await written()).toEqual([{ invitations: 1, entries: 3, mails: 1 }])
})

test('the audit tells who invited which guest', async () => {
  const brand = await world.newBrand()
  const { id } = await world.newGuest(brand)
  const { body } = await makeMember(brand, id)
  const audit = await world.call<{ items: Record<string, unknown>[] }>(
    brand.admin,
    'GET',
    `/api/v1/brands/${brand.id}/audit?action=guest.invited`,
  )
  expect(audit.body.items).toMatchObject([
    {
      action: 'guest.invited',
      target: `guest:${id}`,
      to: { invitation_id: body.id },
      actor: { kind: 'person', user_id: brand.admin_id },
    },
  ])
})

test('a member of another workspace can be a guest here and be invited', async () => {
  const [brand, other] = [await world.newBrand(), await world.newBrand()]
  const { id } = await world.newMember(other)
  const email = newEmail()
  await world.workspaces.sql('update identity.people set email = $2 where id = $1', [id, email])
  await world.admit(brand, await world.newSpace(brand), { id, email })
  expect((await makeMember(brand, id)).status).toBe(201)
})

// Last, because it moves the clock of the database.
test('GST-G3: an invitation that has expired does not block a new one', async () => {
  const clock = createVirtualClock(server.database.name)
  const api = await server.start('api', clock.env)
  const get = (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init)
  try {
    const brand = await world.newBrand()
    const { id } = await world.newGuest(brand)
    await world.workspaces.sql(`update identity.tokens set expires_at = now() + interval '90 days'`)
    const path = `/api/v1/brands/${brand.id}/guests/${id}/make-member`
    const invite = () => get(path, { method: 'POST', headers: headersOf(brand.admin) })
    const first = await invite()
    expect(first.status).toBe(201)
    await clock.advance(7 * dayMs - 60_000)
    expect((await invite()).status).toBe(400)
    await clock.advance(120_000)
    const second = await invite()
    expect(second.status).toBe(201)
    expect(((await second.json()) as Invitation).id).not.toBe(((await first.json()) as Invitation).id)
  } finally {
    clock.close()
  }
})
