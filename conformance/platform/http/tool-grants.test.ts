import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, expect, test } from 'vitest'
import { MarketWorkspace } from '../../marketplace/market-workspace.ts'

const server = useSharedServer('product')
let workspace: MarketWorkspace
let token = ''

beforeAll(async () => {
  workspace = await MarketWorkspace.open(server)
  await workspace.newAgent('builder')
  token = await workspace.tokenWith(['brand:read'])
  await server.sql('update identity.tokens set agent_id = $2 where brand_id = $1', [
    workspace.owner.brand_id,
    'builder',
  ])
})

interface Listed {
  readonly name: string
  readonly inputSchema: { properties: { action?: { enum: string[] } } }
}

async function send(path: string, method: string, params: object = {}) {
  const response = await server.get(path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return (await response.json()) as {
    result?: { tools: Listed[]; isError: boolean; content: { text: string }[] }
    error?: { code: number; message: string }
  }
}

const own = '/mcp/agents/builder?toolsets=all'
async function actionsOf(name: string): Promise<readonly string[]> {
  const { result } = await send(own, 'tools/list')
  return result?.tools.find((tool) => tool.name === name)?.inputSchema.properties.action?.enum ?? []
}

test('an agent has the methods of the version that was granted to it, and loses them with it', async () => {
  const before = await send(own, 'tools/list')
  expect(before.result?.tools.map(({ name }) => name)).toEqual(['whoami', 'help'])

  const granted = { everyone: false, agent_ids: ['builder'] }
  const install = await workspace.install('boards', { version: '1.26.0', ...granted })
  await waitFor(async () => (await actionsOf('card_read')).includes('get'), 5000)
  expect(await actionsOf('card_read')).not.toContain('delivery')
  const newer = { name: 'card_read', arguments: { action: 'delivery', task_id: 'CORE-1' } }
  const refused = await send(own, 'tools/call', newer)
  expect(refused.result).toMatchObject({
    isError: true,
    content: [{ text: 'card_read delivery is not available at this address.' }],
  })
  // Over all of the product there is nothing to grant.
  expect((await send('/mcp', 'tools/call', newer)).result?.content[0]?.text).toMatch(/^404: /)

  await workspace.asAdmin('DELETE', `/installs/${install.id}`)
  await waitFor(async () => (await actionsOf('card_read')).length === 0, 5000)
  const gone = await send(own, 'tools/call', { name: 'card_read', arguments: { action: 'get' } })
  expect(gone.error).toEqual({ code: -32_602, message: 'Unknown tool' })
})

test('unknown toolsets are refused with the names there are, which are those of the caller', async () => {
  await workspace.install('memory', { everyone: true })
  const { error } = await send('/mcp?toolsets=nothing', 'tools/list')
  expect(error?.message).toMatch(/^toolsets: nothing is unknown; there are all, default, .*memory/)
})
