import { createHash, randomBytes } from 'node:crypto'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import type { Answer } from '@crewhall/testkit/world/call.ts'
import { beforeEach, expect, test } from 'vitest'
import { type Brand, useGuests } from './guests-world.ts'

const server = useSharedServer('probe')
const world = useGuests(server)
const { sql } = world.workspaces

let brand: Brand
let admins: readonly Brand['admin'][]
let spaces: readonly string[]
// A workspace gives a bounded number of accesses, and rounds leave some.
beforeEach(async () => {
  brand = await world.newBrand()
  admins = [brand.admin, await world.newAdmin(brand)]
  spaces = [await world.newSpace(brand, 'First'), await world.newSpace(brand, 'Second')]
})

const product = '/api/v1'
const naive = '/api/v1/probe/naive'
const guestPath = (base: string, user_id: number) => `${base}/brands/${brand.id}/guests/${user_id}`
const space = (at: number) => spaces[at] ?? ''
/** Past the routes, so that a round costs little. */
const admitted = async () => {
  const person = await world.newPerson()
  await sql(
    `insert into docs_spaces.guests (brand_id, space_id, person_id, role) values ($1, $2, $3, 'viewer')`,
    [brand.id, space(0), person.id],
  )
  return person
}
const admit = (email: string) =>
  world.call(brand.admin, 'POST', `/api/v1/docs/spaces/${space(1)}/guests`, { email, role: 'viewer' })
const admitNaively = (user_id: number) =>
  world.call(brand.admin, 'PUT', `${naive}/brands/${brand.id}/spaces/${space(1)}/guests/${user_id}`)
const answersOf = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.map((outcome) => (outcome.status === 'fulfilled' ? (outcome.value as Answer) : undefined))
const countOf = async (text: string, person_id: number) => {
  const [row] = await sql<{ count: number }>(text, [brand.id, person_id])
  return row?.count ?? 0
}
const accessLeft = (person_id: number) =>
  countOf(
    'select count(*)::int as count from docs_spaces.guests where brand_id = $1 and person_id = $2',
    person_id,
  )

const invitationsOf = {
  [product]: `select count(*)::int as count from workspaces.invitations i join identity.people p on p.email = i.email
              where i.brand_id = $1 and p.id = $2`,
  [naive]:
    'select count(*)::int as count from probe.naive_invitations where brand_id = $1 and person_id = $2',
}

const twoInvitationsRounds = roundsFor(200, 0.1)

/** Two admins invite one guest at once. */
const twoInvitations = (base: typeof product | typeof naive) =>
  race({
    rounds: twoInvitationsRounds,
    isTwin: base === naive,
    clients: 2,
    setup: admitted,
    act: ({ id }, client) =>
      world.call(admins[client] ?? brand.admin, 'POST', `${guestPath(base, id)}/make-member`),
    async verdict({ id }, outcomes) {
      const statuses = answersOf(outcomes)
        .map((answer) => answer?.status)
        .sort()
      const written = await countOf(invitationsOf[base], id)
      const isRight = statuses[0] === 201 && statuses[1] === 400 && written === 1
      return isRight ? undefined : `${statuses} and ${written} invitations`
    },
  })

test(`GST-16: of two admins who invite one guest at once, one gets 201 and one 400, in ${twoInvitationsRounds} rounds`, async () => {
  expect(await twoInvitations(product)).toEqual({ rounds: twoInvitationsRounds, wrong: 0, examples: [] })
})

test('the naive twin lets both admins invite', async () => {
  expect((await twoInvitations(naive)).wrong).toBeGreaterThan(0)
})

const given = { [product]: 201, [naive]: 200 }

const removalAndGrantRounds = roundsFor(200, 0.1)

/** A guest is removed while they are let into a second space. */
const removalAndGrant = (base: typeof product | typeof naive) =>
  race({
    rounds: removalAndGrantRounds,
    isTwin: base === naive,
    clients: 2,
    setup: admitted,
    act: ({ id, email }, client) => {
      if (client === 0) return world.call(brand.admin, 'DELETE', guestPath(base, id))
      return base === naive ? admitNaively(id) : admit(email)
    },
    async verdict({ id }, outcomes) {
      const [removal, grant] = answersOf(outcomes)
      const { docs_removed = 0 } = (removal?.body ?? {}) as { docs_removed?: number }
      const left = await accessLeft(id)
      const isRight = removal?.status === 200 && grant?.status === given[base] && docs_removed + left === 2
      return isRight
        ? undefined
        : `${removal?.status} and ${grant?.status}: ${docs_removed} counted, ${left} left, of 2`
    },
  })

test(`GST-20: a removal counts what it removes, also while access is being given, in ${removalAndGrantRounds} rounds`, async () => {
  expect(await removalAndGrant(product)).toEqual({ rounds: removalAndGrantRounds, wrong: 0, examples: [] })
})

test('the naive twins count less or more than is removed', async () => {
  expect((await removalAndGrant(naive)).wrong).toBeGreaterThan(0)
})

/** A guest with an open invitation, whose link and session are known. */
async function invited() {
  const person = await world.newPerson()
  const token = randomBytes(32).toString('base64url')
  await sql(
    `insert into workspaces.invitations (brand_id, email, role, token_hash, expires_at)
     values ($1, $2, 'member', $3, now() + interval '1 day')`,
    [brand.id, person.email, createHash('sha256').update(token).digest('hex')],
  )
  return { ...person, token, session: await world.sessionOf(person) }
}

const joiningAndGrantRounds = roundsFor(200, 0.02)

/** Somebody accepts an invitation while they are let into a space as a guest. */
const joiningAndGrant = (isNaive: boolean) =>
  race({
    rounds: joiningAndGrantRounds,
    isTwin: isNaive,
    clients: 2,
    setup: invited,
    act: ({ id, email, token, session }, client) => {
      if (client === 0) return world.call(session, 'POST', '/api/v1/invitations/accept', { token })
      return isNaive ? admitNaively(id) : admit(email)
    },
    async verdict({ id }, outcomes) {
      const [joined] = answersOf(outcomes)
      const left = await accessLeft(id)
      return joined?.status === 200 && left === 0 ? undefined : `${joined?.status} and ${left} accesses left`
    },
  })

test(`GST-01, GST-G5: whoever becomes a member keeps no access of a guest, also while it is being given, in ${joiningAndGrantRounds} rounds`, async () => {
  expect(await joiningAndGrant(false)).toEqual({ rounds: joiningAndGrantRounds, wrong: 0, examples: [] })
})

test('the naive twin of giving access makes members guests', async () => {
  expect((await joiningAndGrant(true)).wrong).toBeGreaterThan(0)
})

const removalAndJoiningRounds = roundsFor(200, 0.1)

/** A guest is removed while they accept their invitation: one of the two happens, never half of both. */
const removalAndJoining = (base: typeof product | typeof naive) =>
  race({
    rounds: removalAndJoiningRounds,
    isTwin: base === naive,
    clients: 2,
    async setup() {
      const person = await invited()
      await sql(
        `insert into docs_spaces.guests (brand_id, space_id, person_id, role) values ($1, $2, $3, 'viewer')`,
        [brand.id, space(0), person.id],
      )
      return person
    },
    act: ({ id, token, session }, client) =>
      client === 0
        ? world.call(brand.admin, 'DELETE', guestPath(base, id))
        : world.call(session, 'POST', '/api/v1/invitations/accept', { token }),
    async verdict({ id }, outcomes) {
      const statuses = answersOf(outcomes).map((answer) => answer?.status)
      const members = await countOf(
        `select count(*)::int as count from identity.memberships where brand_id = $1 and person_id = $2`,
        id,
      )
      const seen = JSON.stringify([statuses, members, await accessLeft(id)])
      const isRight = seen === '[[200,400],0,0]' || seen === '[[404,200],1,0]'
      return isRight ? undefined : seen
    },
  })

test(`GST-G5, GST-G8: of a removal and an acceptance at once exactly one happens, in ${removalAndJoiningRounds} rounds`, async () => {
  expect(await removalAndJoining(product)).toEqual({
    rounds: removalAndJoiningRounds,
    wrong: 0,
    examples: [],
  })
})

test('the naive twin of the removal says that it removed somebody who has become a member', async () => {
  expect((await removalAndJoining(naive)).wrong).toBeGreaterThan(0)
})

const removalAndInvitationRounds = roundsFor(200, 0.1)

/** A guest is removed while another admin invites them: no invitation outlives the removal. */
const removalAndInvitation = (base: typeof product | typeof naive) =>
  race({
    rounds: removalAndInvitationRounds,
    isTwin: base === naive,
    clients: 2,
    setup: admitted,
    act: ({ id }, client) =>
      client === 0
        ? world.call(brand.admin, 'DELETE', guestPath(base, id))
        : world.call(admins[1] ?? brand.admin, 'POST', `${guestPath(product, id)}/make-member`),
    async verdict({ id }, outcomes) {
      const [removal, invitation] = answersOf(outcomes).map((answer) => answer?.status)
      const open = await countOf(`${invitationsOf[product]} and i.status = 'pending'`, id)
      const isRight = removal === 200 && (invitation === 201 || invitation === 404) && open === 0
      return isRight ? undefined : `${removal} and ${invitation}: ${open} invitations left`
    },
  })

test(`GST-G8: no invitation outlives a removal, also when it is made meanwhile, in ${removalAndInvitationRounds} rounds`, async () => {
  expect(await removalAndInvitation(product)).toEqual({
    rounds: removalAndInvitationRounds,
    wrong: 0,
    examples: [],
  })
})

test('the naive twin of the removal leaves an open invitation', async () => {
  expect((await removalAndInvitation(naive)).wrong).toBeGreaterThan(0)
})
