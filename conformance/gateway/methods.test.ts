import { type AnyRoute, isRead } from '@crewhall/contracts/route.ts'
import { tools } from '@crewhall/contracts/tools/tools.ts'
import { callOf } from '@crewhall/testkit/matrix/call.ts'
import { freshValues } from '@crewhall/testkit/matrix/fresh.ts'
import { type Caller, outsiderEmail, type World } from '@crewhall/testkit/matrix/part.ts'
import { createWorld } from '@crewhall/testkit/matrix/world.ts'
import { McpCaller } from '@crewhall/testkit/mcp/mcp-caller.ts'
import { createTranslator } from '@crewhall/testkit/mcp/request-to-call.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import type pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'

// Each method of the package, called once with the example of its contract. In tests the server compares every response with
// its contract before it leaves: one that does not fit is an error of the server.
const server = useServer('product')
let admin: pg.Client
let world: World
let caller: Caller
beforeAll(async () => {
  admin = await server.connection('superuser')
  world = await createWorld((path, init) => server.get(path, init), admin)
  const found = world.callers.find(({ name }) => name === 'admin, token')
  if (!found) throw new Error('the world has no admin with a token')
  caller = found
})

const methods = tools.flatMap((tool) =>
  tool.actions.flatMap((action) =>
    action.method?.package === 'boards' ? [{ tool, action, method: action.method }] : [],
  ),
)

test('VER-05 VER-G2 the package boards has 87 methods in 1.27.0, up from 81 in 1.26.0, each one route of its own', () => {
  const since = (version: string) => methods.filter(({ method }) => method.since === version).length
  expect(methods.length).toBe(87)
  expect(methods.length - since('1.27.0')).toBe(81)
  expect(new Set(methods.map(({ method }) => method.name)).size).toBe(87)
  expect(new Set(methods.map(({ action }) => action.route.id)).size).toBe(87)
})

/** What only the world can know. */
const known: Readonly<Record<string, object>> = { 'boards.addBoardGuest': { email: outsiderEmail } }

const translated = createTranslator(tools)

async function callWithExample(route: AnyRoute) {
  const isGiven = (name: string) => {
    const [place, field = ''] = name.split('.')
    return field in ((place === 'body' ? route.example?.body : route.example?.query) ?? {})
  }
  const own = Object.fromEntries(
    Object.keys(route.resources ?? {})
      .filter((name) => !name.includes('.') || isGiven(name))
      .map((name) => [name, 'own' as const]),
  )
  const fresh = isRead(route) ? {} : await freshValues(admin, world, route, caller)
  const example = { ...route.example, body: { ...route.example?.body, ...known[route.id] } }
  const { path, init } = callOf(route, world, own, {}, fresh, example)
  const call = translated(path, init)
  if (!call) throw new Error(`no tool stands for ${route.id}`)
  const mcp = new McpCaller((place, more) => server.get(place, more), null, {
    path: '/mcp?toolsets=all',
    headers: caller.headers,
  })
  return { call, answer: await mcp.call(call.tool.name, call.args) }
}

describe('VER-05 over MCP, the method', () => {
  test.each(methods.map(({ method, action }) => [method.name, action.route] as const))(
    '%s returns a result that fits its contract',
    async (_, route) => {
      const { call, answer } = await callWithExample(route)
      expect(call.action.route.id).toBe(route.id)
      const { verdict, said, text } = answer
      if (verdict !== 200)
        throw new Error(`${JSON.stringify(call.args)} returned ${verdict}: ${said || text}`)
      expect(said).not.toBe('')
      expect(said.length).toBeLessThanOrEqual(60_000)
      // Compact text, not the body of the response.
      expect(said).not.toMatch(/^\s*[{[]"/)
    },
  )
})
