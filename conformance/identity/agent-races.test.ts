import { json } from '@crewhall/testkit/people.ts'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor, scaled } from '@crewhall/testkit/rounds.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { whileLocked } from '@crewhall/testkit/while-locked.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { memberVerbs, type Team } from '../workspaces/members/member-verbs.ts'

const server = useServer('probe', { HTTP_RATE_LIMIT_PER_MINUTE: '0' })
const world = new World(server)
const { newTeam } = memberVerbs(world)
let second: ServerProcess
beforeAll(async () => {
  second = await server.start('api')
})

const limitMs = 240_000
const sides = [
  { side: 'the product', isRight: true, agents: '/api/v1/agents', tokens: '/tokens', prefix: '/api/v1' },
  {
    side: 'a naive twin',
    isRight: false,
    agents: '/api/v1/probe/naive/agents',
    tokens: '/agent-tokens',
    prefix: '/api/v1/probe/naive',
  },
]

async function post(path: string, token: string, body: object): Promise<number> {
  const response = await server.get(path, json(body, bearer(token)))
  await response.text()
  return response.status
}
const withAgent = async (): Promise<Team> => {
  const team = await newTeam()
  expect(await post('/api/v1/agents', team.token, { agent_id: 'bot', name: 'Bot' })).toBe(201)
  return team
}

describe('an id that several ask for at once goes to one of them, and the others are told', () => {
  test.for(sides)('on the side of $side', { timeout: limitMs }, async ({ agents, isRight }) => {
    const { rounds, wrong, examples } = await race({
      rounds: roundsFor(100, 0.5),
      isTwin: !isRight,
      clients: 4,
      setup: newTeam,
      act: ({ token }, client) => post(agents, token, { agent_id: 'wanted', name: `Client ${client}` }),
      async verdict(_, outcomes) {
        const statuses = outcomes
          .map((each) => (each.status === 'fulfilled' ? each.value : each.reason))
          .sort()
        return `${statuses}` === '201,409,409,409' ? undefined : `answered ${statuses}`
      },
    })
    console.log(`${wrong} of ${rounds} rounds were wrong`)
    if (isRight) expect(examples).toEqual([])
    else expect(wrong).toBeGreaterThan(0)
  })
})

describe('a token that is issued while its agent is retired does not outlive the retirement', () => {
  test.for(sides)('on the side of $side', { timeout: limitMs }, async ({ prefix, tokens, isRight }) => {
    const left = []
    for (let round = 0; round < scaled(10, 3); round += 1) {
      const { brand_id, token } = await withAgent()
      const order = { name: 'race', scopes: [], agent_id: 'bot' }
      // Both stand still before their last statement: the issue first, and the retirement as far as it comes.
      const statuses = await whileLocked(
        server.database.name,
        'lock table platform.audit_entries in exclusive mode',
        [
          () => post(`${prefix}/brands/${brand_id}${tokens}`, token, order),
          () => post('/api/v1/agents/bot/retire', token, {}),
        ],
      )
      expect(statuses).toEqual([201, 200])
      const live = await world.sql(
        `select 1 from identity.tokens where brand_id = $1 and agent_id = 'bot' and revoked_at is null`,
        [brand_id],
      )
      left.push(live.length)
    }
    expect(left).toEqual(left.map(() => (isRight ? 0 : 1)))
  })
})

test('of two that retire one agent at once, one does it, and both are told that it is retired', async () => {
  const { brand_id, token } = await withAgent()
  const retire = () => post('/api/v1/agents/bot/retire', token, {})
  const statuses = await whileLocked(
    server.database.name,
    'lock table platform.audit_entries in exclusive mode',
    [retire, retire],
  )
  expect(statuses).toEqual([200, 200])
  const told = await world.sql(
    `select 1 from platform.workspace_events where brand_id = $1 and type = 'agent.retired'`,
    [brand_id],
  )
  expect(told).toHaveLength(1)
})

test('AUTH-11 an agent retired through one process is refused by the other on the next request', async () => {
  const { brand_id, token } = await newTeam()
  const tries = scaled(50, 10)
  const seen = []
  for (let n = 0; n < tries; n += 1) {
    const agent_id = `bot-${n}`
    await world.made({ token }, 'POST', '/api/v1/agents', { agent_id, name: 'Bot' })
    const order = { name: 'test', scopes: ['brand:read'], agent_id }
    const path = `/api/v1/brands/${brand_id}/tokens`
    const bot = (await world.made<{ token: string }>({ token }, 'POST', path, order)).token
    const elsewhere = async () => {
      const response = await fetch(`${second.url}/api/v1/agents`, { headers: bearer(bot) })
      await response.text()
      return response.status
    }
    const before = await elsewhere()
    await world.made({ token }, 'POST', `/api/v1/agents/${agent_id}/retire`)
    seen.push([before, await elsewhere()])
  }
  expect(seen).toEqual(seen.map(() => [200, 401]))
})
