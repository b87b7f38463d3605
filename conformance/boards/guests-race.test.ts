import { createHash, randomBytes } from 'node:crypto'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import type { Answer } from '@crewhall/testkit/world/call.ts'
import { beforeEach, expect, test } from 'vitest'
import { type Brand, useGuests } from '../workspaces/guests/guests-world.ts'

/** The first twin loses one round of three, the second one of forty. */
const [rounds, joinRounds] = [roundsFor(200, 0.15), roundsFor(200, 0.02)]
const world = useGuests(useSharedServer('probe'))
const { sql } = world.workspaces

let brand: Brand
let board_id: string
let task_id: string
beforeEach(async () => {
  brand = await world.newBrand()
  board_id = await world.newBoard(brand)
  const path = `/api/v1/board/boards/${board_id}/tasks`
  task_id = (await world.call<{ id: string }>(brand.admin, 'POST', path, { title: 'A card' })).body.id
})

const statusesOf = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.map((outcome) => (outcome.status === 'fulfilled' ? (outcome.value as Answer).status : 'none'))

const commentPath = (isNaive: boolean) =>
  isNaive
    ? `/api/v1/probe/naive/board/shared/${board_id}/comments`
    : `/api/v1/board/shared/${board_id}/tasks/${task_id}/comments`

/** A guest is removed while they comment. */
const removalAndComment = (isNaive: boolean, seen = new Map<string, number>()) =>
  race({
    rounds,
    isTwin: isNaive,
    clients: 2,
    async setup(round) {
      const person = await world.newPerson()
      await world.admitToBoard(brand, board_id, person, 'commenter')
      return { ...person, session: await world.sessionOf(person), round }
    },
    async act({ id, session, round }, client) {
      if (client === 1) return world.call(session, 'POST', commentPath(isNaive), { body: 'Still here' })
      // A comment looks the guest up first. In some rounds it has a start of a read or two, so that each may win.
      for (let reads = round % 4; reads > 0; reads -= 1)
        await world.call(brand.admin, 'GET', `/api/v1/board/boards/${board_id}`)
      return world.call(brand.admin, 'DELETE', `/api/v1/board/boards/${board_id}/guests/${id}`)
    },
    async verdict(_, outcomes) {
      const path = `/api/v1/board/activity/boards/${board_id}?limit=2`
      const { body } = await world.call<{ items: { action: string }[] }>(brand.admin, 'GET', path)
      const [newest, before] = body.items.map(({ action }) => action)
      const [removal, comment] = statusesOf(outcomes)
      seen.set(`${comment}`, (seen.get(`${comment}`) ?? 0) + 1)
      // What is written is older than the removal; what is newer was refused.
      const isRight =
        removal === 200 &&
        newest === 'guest.removed' &&
        before === (comment === 201 ? 'task.commented' : 'guest.added')
      return isRight ? undefined : `${removal} and ${comment}: ${newest} after ${before}`
    },
  })

test(`GST-19: a guest who has been removed writes nothing afterwards, also while they are at it, in ${rounds} rounds`, async () => {
  const seen = new Map<string, number>()
  expect(await removalAndComment(false, seen)).toEqual({ rounds, wrong: 0, examples: [] })
  // Both orders were met, or the race was none.
  expect([...seen.keys()].sort()).toEqual(['201', '404'])
})

test('the naive twin writes for somebody who has been removed', async () => {
  expect((await removalAndComment(true)).wrong).toBeGreaterThan(0)
})

/** Somebody accepts an invitation while they are let onto a board as a guest. */
const joiningAndGrant = (isNaive: boolean) =>
  race({
    rounds: joinRounds,
    isTwin: isNaive,
    clients: 2,
    async setup() {
      const person = await world.newPerson()
      const token = randomBytes(32).toString('base64url')
      await sql(
        `insert into workspaces.invitations (brand_id, email, role, token_hash, expires_at)
         values ($1, $2, 'member', $3, now() + interval '1 day')`,
        [brand.id, person.email, createHash('sha256').update(token).digest('hex')],
      )
      return { ...person, token, session: await world.sessionOf(person) }
    },
    act: ({ id, email, token, session }, client) => {
      if (client === 0) return world.call(session, 'POST', '/api/v1/invitations/accept', { token })
      return isNaive
        ? world.call(brand.admin, 'PUT', `/api/v1/probe/naive/board/boards/${board_id}/guests/${id}`)
        : world.call(brand.admin, 'POST', `/api/v1/board/boards/${board_id}/guests`, {
            email,
            role: 'viewer',
          })
    },
    async verdict({ id }, outcomes) {
      const [joined] = statusesOf(outcomes)
      const left = await sql('select 1 from boards.guests where person_id = $1', [id])
      return joined === 200 && left.length === 0 ? undefined : `${joined} and ${left.length} accesses left`
    },
  })

test(`GST-01, GST-G5: whoever becomes a member keeps no board as a guest, also while it is being given, in ${joinRounds} rounds`, async () => {
  expect(await joiningAndGrant(false)).toEqual({ rounds: joinRounds, wrong: 0, examples: [] })
})

test('the naive twin of giving access makes members guests', async () => {
  expect((await joiningAndGrant(true)).wrong).toBeGreaterThan(0)
})
