import { json } from '@crewhall/testkit/people.ts'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { describe, expect, test } from 'vitest'
import { codeIn, oauthVerbs, type Started } from './oauth-verbs.ts'

const server = useSharedServer('probe')
const world = new World(server)
const { start, newPerson, decide, redeem, refresh, register, use } = oauthVerbs(server.get, world)
/** The twin loses nearly every round. */
const rounds = roundsFor(200, 0.5)
const clients = 8
const limitMs = 240_000

let client: string | undefined
/** One program for all rounds: a network may register only so many. */
async function newCode(): Promise<{ started: Started; code: string; brand_id: number }> {
  client ??= (await register()).body.client_id
  const who = await newPerson()
  const started = await start({}, client)
  return { started, code: codeIn(await decide(started, who)), brand_id: who.brand_id }
}
const issued = async (brand_id: number): Promise<number> => {
  const [row] = await world.sql<{ count: number }>(
    `select count(*)::int as count from identity.tokens where brand_id = $1 and kind = 'access'`,
    [brand_id],
  )
  return row?.count ?? 0
}

const sides = [
  {
    side: 'the product',
    isRight: true,
    redeemAt: async (started: Started, code: string) => (await redeem(started, code)).status,
  },
  {
    side: 'a naive twin',
    isRight: false,
    redeemAt: async (_: Started, code: string) =>
      (await server.get('/api/v1/probe/naive/oauth/token', json({ code }))).status,
  },
]

describe(`one code that ${clients} redeem at once gives one token`, () => {
  test.for(sides)('on the side of $side', { timeout: limitMs }, async ({ isRight, redeemAt }) => {
    const result = await race({
      rounds,
      isTwin: !isRight,
      clients,
      setup: newCode,
      act: ({ started, code }) => redeemAt(started, code),
      async verdict({ brand_id }, outcomes) {
        const statuses = outcomes.map((each) => (each.status === 'fulfilled' ? each.value : each.reason))
        const won = statuses.filter((status) => status === 200).length
        const tokens = await issued(brand_id)
        if (won === 1 && tokens === 1) return undefined
        return `${tokens} tokens after ${statuses}`
      },
    })
    console.log(`${result.wrong} of ${result.rounds} rounds were wrong`)
    if (isRight) expect(result.examples).toEqual([])
    else expect(result.wrong).toBeGreaterThan(0)
  })
})

test('processes of one program that refresh at once all get tokens that work', {
  timeout: limitMs,
}, async () => {
  for (let round = 0; round < 10; round += 1) {
    const { started, code } = await newCode()
    const { body } = await redeem(started, code)
    const got = await Promise.all(Array.from({ length: 4 }, () => refresh(started, body.refresh_token)))
    expect(got.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    for (const each of got) expect(await use(each.body.access_token)).toBe(200)
    expect(new Set(got.map((each) => each.body.refresh_token)).size).toBe(4)
    for (const each of got) expect((await refresh(started, each.body.refresh_token)).status).toBe(200)
  }
})
