import { randomUUID } from 'node:crypto'
import { McpCaller } from '@crewhall/testkit/mcp/mcp-caller.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, expect, test } from 'vitest'
import { ToolWorkspace } from '../gateway/tool-world.ts'

// A hire begins and ends in one process; its agent works through another one.

const server = useSharedServer('probe')
const agent = 'hired'
const rounds = scaled(200, 20)
let work: ToolWorkspace
let other: ServerProcess
let mcp: McpCaller
beforeAll(async () => {
  work = await ToolWorkspace.open(server)
  other = await server.start('api')
  await work.newAgent(agent)
  const token = await work.agentToken(agent)
  const get = (path: string, init?: RequestInit) => fetch(`${other.url}${path}`, init)
  mcp = new McpCaller(get, { token }, { path: `/mcp/agents/${agent}` })
})

const ofHire = (hire_id: string, verb: string, body?: unknown) =>
  work.world.made<{ disabled: number }>(work.by, 'POST', `/api/v1/probe/hires/${hire_id}/${verb}`, body)
const listed = async () => ((await mcp.list()).result?.tools ?? []).map(({ name }) => name)

test(`HIRE-33: the tools of a hire are there for its agent, and gone within a second of its end, ${rounds} times of ${rounds}`, async () => {
  const always = await listed()
  expect(always.toSorted()).toEqual(['help', 'whoami'])
  for (let round = 0; round < rounds; round += 1) {
    const hire_id = randomUUID()
    await ofHire(hire_id, 'references', { agent_id: agent, packages: ['memory', 'boards'] })
    await waitFor(async () => (await listed()).includes('memory'), 1000)
    expect((await mcp.call('boards', { action: 'list' })).verdict).toBe(200)
    expect((await ofHire(hire_id, 'release')).disabled).toBe(2)
    await waitFor(async () => (await mcp.call('boards', { action: 'list' })).verdict !== 200, 1000)
    expect(await listed()).toEqual(always)
  }
})
