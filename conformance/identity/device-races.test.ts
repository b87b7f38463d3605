import { json } from '@crewhall/testkit/people.ts'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { describe, expect, test } from 'vitest'
import { deviceVerbs, errorOf, type Waiting } from './device-verbs.ts'

const server = useSharedServer('probe')
const world = new World(server)
const { poll, decide, newPerson, plant } = deviceVerbs(world)
/** The twins lose nearly every round. */
const rounds = roundsFor(200, 0.5)
const clients = 6
const limitMs = 240_000

const naive = async (path: string, body: object, cookie?: string) => {
  const response = await server.get(
    `/api/v1/probe/naive/device/${path}`,
    json(body, cookie ? { cookie } : {}),
  )
  await response.text()
  return response.status
}
/** Whoever comes too late has named a code that nobody waits with, which a person may do only five times. */
async function newCode(lasts?: string): Promise<Waiting> {
  await world.sql(`delete from identity.attempt_limits where key like 'device-try:%'`)
  return plant(lasts)
}
interface Side {
  readonly side: string
  readonly isRight: boolean
  approve(cookie: string, code: Waiting): Promise<number>
  /** Whether it got something, or why not. */
  fetch(code: Waiting): Promise<string>
}
const sides: readonly Side[] = [
  {
    side: 'the product',
    isRight: true,
    approve: async (cookie, code) => (await decide(cookie, code)).status,
    async fetch(code) {
      const got = await poll(code)
      return got.status === 200 ? 'got' : errorOf(got)
    },
  },
  {
    side: 'a naive twin',
    isRight: false,
    approve: (cookie, { user_code }) => naive('approve', { user_code }, cookie),
    fetch: async ({ device_code }) =>
      (await naive('token', { device_code })) === 200 ? 'got' : 'expired_token',
  },
]
const valuesOf = (outcomes: readonly PromiseSettledResult<unknown>[]): unknown[] =>
  outcomes.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason)))

function judge({ isRight }: Side, { wrong, rounds, examples }: Awaited<ReturnType<typeof race>>): void {
  console.log(`${wrong} of ${rounds} rounds were wrong`)
  if (isRight) expect(examples).toEqual([])
  else expect(wrong).toBeGreaterThan(0)
}

describe(`of ${clients} people who approve one code at once one does`, () => {
  test.for(sides)('on the side of $side', { timeout: limitMs }, async (side) => {
    const people = await Promise.all(Array.from({ length: clients }, () => newPerson()))
    const result = await race({
      rounds,
      isTwin: !side.isRight,
      clients,
      setup: () => newCode(),
      act: (code, client) => side.approve(people[client]?.cookie ?? '', code),
      async verdict(_, outcomes) {
        const statuses = valuesOf(outcomes)
        const others = statuses.filter((status) => status === 404).length
        return others === clients - 1 && statuses.includes(200) ? undefined : `${statuses}`
      },
    })
    judge(side, result)
  })
})

describe(`${clients} polls at once after the approval get one session`, () => {
  test.for(sides)('on the side of $side', { timeout: limitMs }, async (side) => {
    const result = await race({
      rounds,
      isTwin: !side.isRight,
      clients,
      async setup() {
        const [who, code] = [await newPerson(), await newCode()]
        expect(await side.approve(who.cookie, code)).toBe(200)
        return { who, code }
      },
      act: ({ code }) => side.fetch(code),
      async verdict({ who }, outcomes) {
        const told = valuesOf(outcomes).toSorted()
        const sessions = await world.sql('select 1 from identity.sessions where person_id = $1', [
          who.person_id,
        ])
        const isOne = told.filter((each) => each === 'got').length === 1
        const isRest = told.filter((each) => each === 'expired_token').length === clients - 1
        return isOne && isRest && sessions.length === 2 ? undefined : `${sessions.length} sessions, ${told}`
      },
    })
    judge(side, result)
  })
})

describe('an approval at the moment of expiry is one for both or for neither', () => {
  test.for(sides)('on the side of $side', { timeout: limitMs }, async (side) => {
    const who = await newPerson()
    const result = await race({
      rounds: rounds * 2,
      isTwin: !side.isRight,
      clients,
      setup: (round) => newCode(`${(round * 7) % 60} milliseconds`),
      act: async (code, client) =>
        client === 0 ? { approved: await side.approve(who.cookie, code) } : { told: await side.fetch(code) },
      async verdict(code, outcomes) {
        const [{ approved }, ...polls] = valuesOf(outcomes) as [{ approved: number }, ...{ told: string }[]]
        const told = [...polls.map((each) => each.told), await side.fetch(code)]
        const got = told.filter((each) => each === 'got').length
        const isOne = approved === 200 ? got === 1 : got === 0 && told.at(-1) === 'expired_token'
        return isOne ? undefined : `${approved}, and ${told}`
      },
    })
    judge(side, result)
  })
})
