import { routes } from '@crewhall/contracts/routes.ts'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { startFairTime } from '@crewhall/testkit/fair-time.ts'
import { type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { McpCaller } from '@crewhall/testkit/mcp/mcp-caller.ts'
import { callRoute } from '@crewhall/testkit/mcp/route-tools.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ToolWorkspace } from '../../gateway/tool-world.ts'

// A grant is taken away through one process, after an agent has used it through another, which remembers it.

const { redis, postgres } = readServiceFacts()
const server = useServer('product')
let clock: VirtualClock
let bus: FaultProxy
let line: FaultProxy
let hearing: ServerProcess
/** It is never told of a change: every attempt to subscribe ends its line. What it remembers ends by its age alone. */
let deaf: ServerProcess
let cut: ServerProcess
beforeAll(async () => {
  clock = createVirtualClock(server.database.name)
  bus = await startFaultProxy(redis)
  bus.set({ kind: 'cut', at: (sent) => /\bsubscribe\b/i.test(sent.toString('latin1')) })
  line = await startFaultProxy(postgres)
  ;[hearing, deaf, cut] = await Promise.all([
    server.start('api', clock.env),
    server.start('api', { ...clock.env, REDIS_URL: bus.through(redis.url) }),
    server.start('api', { ...clock.env, DATABASE_URL: line.through(server.database.url) }),
  ])
})
afterAll(async () => {
  await Promise.all([bus?.close(), line?.close()])
  clock?.close()
})

/** Every round of the twin, which hears of nothing, is lost. */
const rounds = roundsFor(200, 0.5)

/** An agent that has just used a tool through that process by a grant of its own, and what takes the grant away. */
async function usedThrough(process: ServerProcess) {
  const work = await ToolWorkspace.open(server)
  const agent_id = await work.newAgent('builder')
  const installs = '/api/v1/marketplace/installs'
  const { id } = await work.world.made<{ id: string }>(work.by, 'POST', installs, {
    package_key: 'boards',
    agent_ids: [agent_id],
  })
  const token = await work.agentToken(agent_id)
  const mcp = new McpCaller(
    (path, init) => fetch(`${process.url}${path}`, init),
    { token },
    { path: `/mcp/agents/${agent_id}` },
  )
  const verdict = async () => (await callRoute(mcp, routes.boards.listBoards)).verdict
  expect(await verdict()).toBe(200)
  const revoke = () =>
    work.world.made(work.by, 'PUT', `${installs}/${id}/grants`, { everyone: false, agent_ids: [] })
  return { mcp, verdict, revoke }
}

/** When the last call began that was still served, in milliseconds after its grant was taken away. */
let lastServed = 0

/** Whether no call is served that begins more than a second after the grant was taken away. */
async function isRefusedInTime({
  verdict,
  revoke,
}: Awaited<ReturnType<typeof usedThrough>>): Promise<boolean> {
  await revoke()
  const elapsed = startFairTime()
  const { isRefused } = await waitFor(async () => {
    const began = elapsed()
    const isRefused = (await verdict()) >= 400
    if (!isRefused) lastServed = Math.max(lastServed, began)
    return isRefused || began > 1000 ? { isRefused } : undefined
  }, 30_000)
  return isRefused
}

/** Takes grants away, a few at a time, and counts those that were refused in time. */
async function refusedInTime(agents: readonly Awaited<ReturnType<typeof usedThrough>>[]): Promise<number> {
  let refused = 0
  const rest = agents.values()
  const lane = async () => {
    for (const agent of rest) if (await isRefusedInTime(agent)) refused += 1
  }
  await Promise.all(Array.from({ length: 5 }, lane))
  return refused
}

const allThrough = (process: ServerProcess) =>
  Promise.all(Array.from({ length: rounds }, () => usedThrough(process)))

test(`a grant that was taken away is refused within a second while the bus is up, ${rounds} times of ${rounds}`, async () => {
  const agents = await allThrough(hearing)
  const refused = await refusedInTime(agents)
  console.log(
    `the last call that was still served began ${Math.round(lastServed)} ms after the grant had ended`,
  )
  expect(refused).toBe(rounds)
  for (const { mcp } of agents) expect(await mcp.names()).toEqual(['whoami', 'help'])
})

test('HIRE-33 tools are gone after 60 seconds though nobody was told; the naive twin, an age alone, still has them after one', async () => {
  const agents = await allThrough(deaf)
  expect(await refusedInTime(agents)).toBe(0)
  for (const { mcp } of agents) expect(await mcp.names()).toContain('boards')
  await clock.advance(60_000)
  for (const { mcp, verdict } of agents) {
    expect(await verdict()).toBeGreaterThanOrEqual(400)
    expect(await mcp.names()).toEqual(['whoami', 'help'])
  }
})

test('what is older than 60 seconds is refused while Postgres is away', async () => {
  const { verdict, revoke, mcp } = await usedThrough(cut)
  await revoke()
  line.set({ kind: 'reset' })
  await clock.advance(61_000)
  expect(await verdict()).toBe(503)
  expect((await mcp.list()).status).toBe(503)
  line.set({ kind: 'none' })
  await waitFor(async () => (await mcp.list()).status === 200, 30_000)
  expect(await mcp.names()).toEqual(['whoami', 'help'])
  expect(await verdict()).toBeGreaterThanOrEqual(400)
})
