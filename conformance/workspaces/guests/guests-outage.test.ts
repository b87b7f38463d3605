import { randomUUID } from 'node:crypto'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { type Mood, startBoards } from './boards-stand-in.ts'
import { type Brand, useGuests } from './guests-world.ts'

// Boards of the product lie in its own database, where nothing of this can happen. This is a second provider of
// boards, whose store lies elsewhere.
const boards = await startBoards()
const server = useServer('probe', { PROBE_BOARDS_URL: boards.url })
const world = useGuests(server)
afterEach(() => {
  boards.mood = 'well'
  boards.moody_method = undefined
})

const invalid = { status: 502, body: { detail: 'Boards service returned an invalid response' } }
const remove = ({ id, admin }: Brand, user_id: number) =>
  world.call(admin, 'DELETE', `/api/v1/brands/${id}/guests/${user_id}`)
const removed = (boards_removed: number, docs_removed: number) => ({
  status: 200,
  body: { success: true, boards_removed, docs_removed },
})

/** A guest of one docs space and two boards. */
async function guestOfBoth() {
  const brand = await world.newBrand()
  const guest = await world.newGuest(brand)
  for (const name of ['One', 'Two']) {
    boards.give(brand.id, { person_id: guest.id, resource_id: randomUUID(), name, role: 'viewer' })
  }
  return { brand, guest }
}

const bad: Mood[] = ['hangs', 'cuts the connection', 'fails', 'talks nonsense', 'says something else']

describe.each(bad)('while the boards service %s', (mood) => {
  test('GST-10, GST-G1: the list of guests is a 502 that says so, and nothing of a list', async () => {
    const { brand } = await guestOfBoth()
    boards.mood = mood
    expect(await world.guestsOf(brand)).toEqual(invalid)
  })

  test('GST-23, GST-G1, GST-G7: a removal is a 502 and removes nothing; the next one finishes and counts all', async () => {
    const { brand, guest } = await guestOfBoth()
    const before = await world.guestsOf(brand)
    boards.mood = mood
    expect(await remove(brand, guest.id)).toEqual(invalid)
    boards.mood = 'well'
    expect(await world.guestsOf(brand)).toEqual(before)
    expect(await remove(brand, guest.id)).toEqual(removed(2, 1))
    expect(await remove(brand, guest.id)).toMatchObject({ status: 404 })
  })

  test('GST-23, GST-G7: when only the removal fails, the docs space is not lost either', async () => {
    const { brand, guest } = await guestOfBoth()
    const before = await world.guestsOf(brand)
    boards.mood = mood
    boards.moody_method = 'DELETE'
    expect(await remove(brand, guest.id)).toEqual(invalid)
    expect(await world.guestsOf(brand)).toEqual(before)
    boards.mood = 'well'
    expect(await remove(brand, guest.id)).toEqual(removed(2, 1))
  })
})

test('GST-10, GST-23, GST-G1: a service that cannot be reached is the same 502, and comes back', async () => {
  const { brand, guest } = await guestOfBoth()
  await boards.down()
  try {
    expect(await world.guestsOf(brand)).toEqual(invalid)
    expect(await remove(brand, guest.id)).toEqual(invalid)
  } finally {
    await boards.up()
  }
  expect((await world.guestsOf(brand)).body.guests[0]?.access).toHaveLength(3)
})

test('GST-G7: boards that were removed before the connection broke are counted by the removal that finishes', async () => {
  const { brand, guest } = await guestOfBoth()
  boards.mood = 'does it and cuts the connection'
  boards.moody_method = 'DELETE'
  expect(await remove(brand, guest.id)).toEqual(invalid)
  expect(boards.grantsOf(brand.id)).toEqual([])
  expect((await world.guestsOf(brand)).body.guests[0]?.access.map(({ kind }) => kind)).toEqual(['docs'])
  boards.mood = 'well'
  expect(await remove(brand, guest.id)).toEqual(removed(2, 1))
  expect(await remove(brand, guest.id)).toMatchObject({ status: 404 })
})

test('GST-G7: a removal whose answer alone was lost is finished by the next one, which reports it', async () => {
  const brand = await world.newBrand()
  const guest = await world.newPerson()
  boards.give(brand.id, { person_id: guest.id, resource_id: randomUUID(), name: 'One', role: null })
  boards.mood = 'does it and cuts the connection'
  boards.moody_method = 'DELETE'
  expect(await remove(brand, guest.id)).toEqual(invalid)
  boards.mood = 'well'
  expect((await world.guestsOf(brand)).body.total).toBe(0)
  expect(await remove(brand, guest.id)).toEqual(removed(1, 0))
  expect(await remove(brand, guest.id)).toMatchObject({ status: 404 })
})

test('GST-G7: what a failed removal noted is not counted a day later', async () => {
  const { brand, guest } = await guestOfBoth()
  boards.mood = 'does it and cuts the connection'
  boards.moody_method = 'DELETE'
  expect(await remove(brand, guest.id)).toEqual(invalid)
  boards.mood = 'well'
  await world.workspaces.sql(
    `update workspaces.guest_removals set noted_at = noted_at - interval '1 day' where brand_id = $1`,
    [brand.id],
  )
  expect(await remove(brand, guest.id)).toEqual(removed(0, 1))
})

test('GST-23: a failed removal revokes no invitation and leaves no entry of the audit', async () => {
  const { brand, guest } = await guestOfBoth()
  await world.call(brand.admin, 'POST', `/api/v1/brands/${brand.id}/guests/${guest.id}/make-member`)
  boards.mood = 'fails'
  boards.moody_method = 'DELETE'
  expect(await remove(brand, guest.id)).toEqual(invalid)
  const rows = await world.workspaces.sql(
    `select (select status from workspaces.invitations where brand_id = $1) as invitation,
            (select count(*)::int from platform.audit_entries where brand_id = $1 and action = 'guest.removed') as entries`,
    [brand.id],
  )
  expect(rows).toEqual([{ invitation: 'pending', entries: 0 }])
})

test('nobody is invited while it cannot be told whether they are a guest', async () => {
  const { brand, guest } = await guestOfBoth()
  boards.mood = 'fails'
  const path = `/api/v1/brands/${brand.id}/guests/${guest.id}/make-member`
  expect(await world.call(brand.admin, 'POST', path)).toEqual(invalid)
})

test('GST-09: the role is null where a board has no levels', async () => {
  const brand = await world.newBrand()
  const { id } = await world.newPerson()
  boards.give(brand.id, { person_id: id, resource_id: randomUUID(), name: 'Flat', role: null })
  expect((await world.guestsOf(brand)).body.guests[0]?.access).toMatchObject([{ name: 'Flat', role: null }])
})

test('GST-18, GST-20: boards of the product and of a service elsewhere are counted together', async () => {
  const { brand, guest } = await guestOfBoth()
  await world.giveBoard(brand, guest)
  expect(await remove(brand, guest.id)).toEqual(removed(3, 1))
})

test('GST-23, GST-G7: a service elsewhere that fails leaves the boards of the product as they were', async () => {
  const { brand, guest } = await guestOfBoth()
  const board_id = await world.giveBoard(brand, guest)
  boards.mood = 'fails'
  boards.moody_method = 'DELETE'
  expect(await remove(brand, guest.id)).toEqual(invalid)
  const path = `/api/v1/board/shared/${board_id}`
  expect((await world.call(await world.sessionOf(guest), 'GET', path)).status).toBe(200)
  boards.mood = 'well'
  expect(await remove(brand, guest.id)).toEqual(removed(3, 1))
})
