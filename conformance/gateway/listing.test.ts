import { isRead } from '@crewhall/contracts/route.ts'
import { routes } from '@crewhall/contracts/routes.ts'
import { scopes as everyScope } from '@crewhall/contracts/scopes.ts'
import type { ToolAction } from '@crewhall/contracts/tools/tool.ts'
import { tools } from '@crewhall/contracts/tools/tools.ts'
import type { ListedTool, McpCaller } from '@crewhall/testkit/mcp/mcp-caller.ts'
import { callRoute, toolOf } from '@crewhall/testkit/mcp/route-tools.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { ToolWorkspace } from './tool-world.ts'

const server = useSharedServer('product')
let work: ToolWorkspace
beforeAll(async () => {
  work = await ToolWorkspace.open(server)
})

/** The actions of each listed tool; one with a single action names none. */
const shown = (listed: readonly ListedTool[]) =>
  Object.fromEntries(
    listed.map(({ name, inputSchema }) => [
      name,
      [
        ...(inputSchema.properties?.action?.enum ??
          (tools.find((tool) => tool.name === name)?.actions ?? []).map((action) => action.name)),
      ],
    ]),
  )

/** What the contracts allow, worked out without the server. */
function allowed(scopes: readonly string[], role: 'admin' | 'member', is = (_: ToolAction) => true) {
  const may = ({ route: { auth } }: ToolAction) =>
    auth.kind === 'token'
      ? auth.scopes.every((scope) => scopes.includes(scope)) && (auth.role === 'member' || role === 'admin')
      : auth.kind === 'person' && auth.credential === 'any'
  return Object.fromEntries(
    tools
      .map(
        (tool) =>
          [
            tool.name,
            tool.actions.filter((action) => may(action) && is(action)).map(({ name }) => name),
          ] as const,
      )
      .filter(([name, actions]) => name === 'help' || actions.length > 0),
  )
}

const subsets = Array.from({ length: 2 ** everyScope.length }, (_, bits) =>
  everyScope.filter((_scope, at) => (bits >> at) % 2 === 1),
)

describe.each(['admin', 'member'] as const)('the list of a token of %s', (role) => {
  test('has exactly the actions that its scopes and the role allow, for every set of scopes', async () => {
    const { brand_id } = work.member
    const person = await work.world.join(brand_id, role)
    for (const scopes of subsets) {
      const mcp = work.as({ token: await work.world.newToken(person, scopes) }, { path: '/mcp?toolsets=all' })
      expect([scopes, shown(await mcp.tools())]).toEqual([scopes, allowed(scopes, role)])
    }
  })

  test('is the same to the byte each time, and of the same order at every address', async () => {
    const person = await work.world.join(work.member.brand_id, role)
    const by = { token: await work.world.newToken(person, ['memory:read', 'code:read']) }
    const order = tools.map(({ name }) => name)
    for (const path of ['/mcp', '/mcp/readonly', '/mcp?toolsets=all', '/mcp/readonly?toolsets=all']) {
      const texts = new Set<string>()
      for (let n = 0; n < 3; n += 1) texts.add((await work.as(by, { path }).list()).text)
      expect(texts.size).toBe(1)
      const names = await work.as(by, { path }).names()
      expect(names).toEqual(order.filter((name) => names.includes(name)))
    }
  })
})

test('a scope that a token has, but its workspace no longer allows, is gone from the list at once', async () => {
  const narrow = await ToolWorkspace.open(server)
  const { name } = toolOf(routes.memory.recallMemories).tool
  expect(await narrow.mcp.names()).toContain(name)
  await narrow.world.sql('update identity.brands set scope_ceiling = $2 where id = $1', [
    narrow.member.brand_id,
    ['brand:read'],
  ])
  expect(await narrow.mcp.names()).not.toContain(name)
})

describe('/mcp/readonly', () => {
  test('has the actions that only read, and no other', async () => {
    const listed = shown(await work.at('/mcp/readonly?toolsets=all').tools())
    expect(listed).toEqual(allowed(everyScope, 'admin', ({ route }) => isRead(route)))
    for (const { annotations } of await work.at('/mcp/readonly?toolsets=all').tools())
      expect([annotations?.readOnlyHint, annotations?.destructiveHint]).toEqual([true, false])
  })

  test('refuses an action that writes, as one that it does not have', async () => {
    const board = await work.board()
    const { tool } = toolOf(routes.boards.createCard)
    const mcp = work.at('/mcp/readonly')
    const write = await callRoute(mcp, routes.boards.createCard, { board_id: board.id, title: 'Written' })
    const unknown = await mcp.call(tool.name, { action: 'no_such_action' })
    expect(write.verdict).toBe(unknown.verdict)
    expect(write.verdict).toBeGreaterThanOrEqual(400)
    const path = `/api/v1/board/boards/${board.id}/tasks`
    expect(await work.world.made(work.by, 'GET', path)).toMatchObject({ total: 0 })
  })
})

describe('toolsets', () => {
  const toolsets = [...new Set(tools.map(({ toolset }) => toolset))]
  const namesIn = (...wanted: string[]) =>
    tools.filter(({ toolset }) => wanted.includes(toolset)).map(({ name }) => name)

  test.each(toolsets)('%s brings its own tools, by query and by header', async (name) => {
    const byQuery = await work.at(`/mcp?toolsets=${name}`).names()
    const byHeader = await work.mcp.with({ headers: { 'x-mcp-toolsets': name } }).names()
    expect(byHeader).toEqual(byQuery)
    expect(byQuery).toEqual(expect.arrayContaining(namesIn(name)))
    const others = toolsets.filter((each) => each !== name && each !== 'default')
    for (const other of others) expect(byQuery).not.toEqual(expect.arrayContaining(namesIn(other)))
  })

  test('several are joined in the fixed order, however they are named', async () => {
    const [one = '', two = ''] = toolsets.slice(1)
    const joined = await work.at(`/mcp?toolsets=${one},${two}`).names()
    expect(await work.at(`/mcp?toolsets=${two},${one}`).names()).toEqual(joined)
    expect(await work.at(`/mcp?toolsets=${two},${one},${two}`).names()).toEqual(joined)
    expect(joined).toEqual(expect.arrayContaining(namesIn(one, two)))
  })

  test('an unknown one is refused with the names that there are', async () => {
    for (const mcp of [
      work.at('/mcp?toolsets=boardz'),
      work.mcp.with({ headers: { 'x-mcp-toolsets': 'boardz' } }),
    ]) {
      const { status, result, text } = await mcp.list()
      expect(status === 200 ? result : undefined).toBe(undefined)
      for (const name of toolsets) expect(text).toContain(name)
    }
  })

  test('the default has the twelve tools of the design', async () => {
    expect((await work.mcp.names()).sort()).toEqual(
      [
        ...[
          'whoami',
          'boards',
          'cards_search',
          'card_read',
          'card_write',
          'card_move',
          'card_claim',
          'comments',
        ],
        ...['activity', 'lessons_near', 'memory', 'help'],
      ].sort(),
    )
  })
})

describe('the address of an agent', () => {
  const answerOf = async (mcp: McpCaller) => {
    const { status, text } = await mcp.list()
    return { status, text }
  }

  test('is open to the token that is bound to it; anybody else is answered as for an agent that nobody knows', async () => {
    const [own, another] = [await work.newAgent('builder'), await work.newAgent('tester')]
    const by = { token: await work.agentToken(own) }
    const names = await work.as(by, { path: `/mcp/agents/${own}` }).names()
    expect(names).toEqual(['whoami', 'help'])
    const unknown = await answerOf(work.as(by, { path: '/mcp/agents/nobody' }))
    expect(unknown.status).toBe(404)
    expect(await answerOf(work.as(by, { path: `/mcp/agents/${another}` }))).toEqual(unknown)
    expect(await answerOf(work.at(`/mcp/agents/${own}`))).toEqual(unknown)
    const elsewhere = await ToolWorkspace.open(server)
    expect(await answerOf(elsewhere.at(`/mcp/agents/${own}`))).toEqual(unknown)
    await elsewhere.newAgent(own)
    const foreign = { token: await elsewhere.agentToken(own) }
    expect((await elsewhere.as(foreign, { path: `/mcp/agents/${own}` }).list()).status).toBe(200)
    for (const path of ['/mcp/agents/a%2Fb', '/mcp/agents/%00', `/mcp/agents/${'a'.repeat(500)}`])
      expect((await work.as(by, { path }).list()).status).toBe(404)
  })

  test('lets an agent call nothing that is not granted to it', async () => {
    const agent = await work.newAgent('caller')
    const mcp = work.as({ token: await work.agentToken(agent) }, { path: `/mcp/agents/${agent}` })
    const { tool } = toolOf(routes.boards.listBoards)
    const refused = await callRoute(mcp, routes.boards.listBoards)
    const unknown = await mcp.call('no_such_tool')
    expect(refused.text.replaceAll(tool.name, 'no_such_tool').replace(/"id":\d+/, '')).toBe(
      unknown.text.replace(/"id":\d+/, ''),
    )
  })
})
