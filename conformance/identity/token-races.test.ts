import { json } from '@crewhall/testkit/people.ts'
import { type RaceResult, race } from '@crewhall/testkit/race.ts'
import { roundsFor, scaled } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { whileLocked } from '@crewhall/testkit/while-locked.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { describe, expect, test } from 'vitest'
import { memberVerbs } from '../workspaces/members/member-verbs.ts'

const server = useSharedServer('probe')
const world = new World(server)
const { newTeam } = memberVerbs(world)
/** The twin loses every round. */
const rounds = roundsFor(100, 0.5)
const limitMs = 240_000
const sides = [
  { side: 'the product', prefix: '/api/v1', isRight: true },
  { side: 'a naive twin', prefix: '/api/v1/probe/naive', isRight: false },
]

async function issue(prefix: string, brand_id: number, cookie: string): Promise<number> {
  const path = `${prefix}/brands/${brand_id}/tokens`
  const response = await server.get(path, json({ name: 'race', scopes: [] }, { cookie }))
  await response.text()
  return response.status
}
const liveTokens = async (brand_id: number, person_id: number): Promise<number> => {
  const [row] = await world.sql<{ count: number }>(
    `select count(*)::int as count from identity.tokens
     where brand_id = $1 and person_id = $2 and revoked_at is null`,
    [brand_id, person_id],
  )
  return row?.count ?? 0
}
const statusesOf = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.map((each) => (each.status === 'fulfilled' ? each.value : each.reason))

function judge(isRight: boolean, { rounds, wrong, examples }: RaceResult) {
  console.log(`${wrong} of ${rounds} rounds were wrong`)
  if (isRight) expect(examples).toEqual([])
  else expect(wrong).toBeGreaterThan(0)
}

/** Both stand still before their last statement: the issue first, and the removal as far as it comes. */
async function issueDuringRemoval(prefix: string) {
  const team = await newTeam()
  const cookie = await world.newCookie(team.member.person_id, team.brand_id)
  const statuses = await whileLocked(
    server.database.name,
    'lock table platform.audit_entries in exclusive mode',
    [
      () => issue(prefix, team.brand_id, cookie),
      async () => (await team.call('DELETE', `/members/${team.member.person_id}`)).status,
    ],
  )
  expect(statuses).toEqual([201, 200])
  return liveTokens(team.brand_id, team.member.person_id)
}

describe('K9: a token that is issued while its person is removed does not outlive the removal', () => {
  test.for(sides)('K9: on the side of $side', { timeout: limitMs }, async ({ prefix, isRight }) => {
    const left = []
    for (let round = 0; round < scaled(10, 4); round += 1) left.push(await issueDuringRemoval(prefix))
    expect(left).toEqual(left.map(() => (isRight ? 0 : 1)))
  })
})

describe('K9: nobody has more than 100 live tokens, however many are issued at once', () => {
  test.for(sides)('K9: on the side of $side', { timeout: limitMs }, async ({ prefix, isRight }) => {
    const result = await race({
      rounds,
      isTwin: !isRight,
      clients: 4,
      async setup() {
        const team = await newTeam()
        await world.newTokens(team.member, [], 99)
        return { team, cookie: await world.newCookie(team.member.person_id, team.brand_id) }
      },
      act: ({ team, cookie }) => issue(prefix, team.brand_id, cookie),
      async verdict({ team }, outcomes) {
        const statuses = statusesOf(outcomes)
        expect([201, 409]).toEqual(expect.arrayContaining([...new Set(statuses)]))
        const live = await liveTokens(team.brand_id, team.member.person_id)
        return live === 100 ? undefined : `${live} tokens live after ${statuses}`
      },
    })
    judge(isRight, result)
  })
})
