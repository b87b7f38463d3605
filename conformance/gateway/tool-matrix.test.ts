import { readFileSync, writeFileSync } from 'node:fs'
import { tools } from '@crewhall/contracts/tools/tools.ts'
import { marksIn, redisText } from '@crewhall/testkit/canary.ts'
import type { Ids } from '@crewhall/testkit/matrix/cells.ts'
import { type MatrixResult, runMatrix } from '@crewhall/testkit/matrix/matrix.ts'
import type { World } from '@crewhall/testkit/matrix/part.ts'
import { partsOf, toolsReport } from '@crewhall/testkit/matrix/report.ts'
import { startTappedServer, type TappedServer } from '@crewhall/testkit/matrix/server.ts'
import { type ToolServer, throughTools } from '@crewhall/testkit/matrix/through-tools.ts'
import { createWorld } from '@crewhall/testkit/matrix/world.ts'
import { root } from '@crewhall/testkit/server-process.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'

// The cells of the matrix, sent through tools: the gateway must not be able to do what HTTP cannot.
let server: TappedServer
let gateway: ToolServer
let world: World
let result: MatrixResult
const actions = tools.flatMap((tool) => tool.actions)
const routes = [...new Set(actions.map(({ route }) => route))]
/** One of each tool, for callers who are refused before anything else is looked at. */
const firsts = new Set(tools.map((tool) => tool.actions[0]?.route))

/** Tools take tokens alone: whoever comes with a session is nobody to them. */
const callersOfTools = () =>
  world.callers.map((caller) =>
    caller.credential === 'session' ? { ...caller, credential: 'none' as const, is_live: false } : caller,
  )

/** No malformed id, and one that is not the caller's own, or all of one kind: combinations are the business of routes. */
function isWellFormed(ids: Ids): boolean {
  const kinds = Object.values(ids)
  const others = kinds.filter((kind) => kind !== 'own')
  return !kinds.includes('malformed') && (others.length <= 1 || new Set(kinds).size === 1)
}

beforeAll(async () => {
  server = await startTappedServer()
  world = await createWorld(server.get, server.admin)
  gateway = throughTools(server, tools)
  result = await runMatrix(gateway, world, routes, {
    callersOf: (route) => callersOfTools().filter(({ is_live }) => is_live || firsts.has(route)),
    hasIds: isWellFormed,
    is_without_faults: true,
  })
}, 1_200_000)
afterAll(() => server?.close())

test('every tool has the verdict of its route for every caller, and a foreign id that of a missing one', () => {
  expect(result.faults).toEqual([])
})

test('what changes nothing asks the same of the database as over HTTP, and has the same status', () => {
  expect(gateway.faults).toEqual([])
  expect(gateway.compared.statements).toBeGreaterThan(1000)
})

test('the matrix holds every action of every tool, every caller and comparisons of real statements', () => {
  expect(new Set(result.cells.map(({ route }) => route)).size).toBe(routes.length)
  expect(new Set(result.cells.map(({ caller }) => caller)).size).toBe(world.callers.length)
  expect(result.compared_statements).toBeGreaterThan(100)
  expect(result.own_marks).toBeGreaterThan(0)
})

test('marks show neither in the log nor in Redis', async () => {
  const marks = Object.values(world.marks)
  await server.api.stop()
  expect(server.api.lines.length).toBeGreaterThan(result.cells.length)
  expect(marksIn(server.api.lines.join('\n'), marks)).toEqual([])
  expect(marksIn(await redisText(server.database.name), marks)).toEqual([])
})

test('docs/isolation.md is what this run has found', () => {
  const path = `${root}/docs/isolation.md`
  const report = toolsReport(result, gateway.compared.calls)
  const committed = partsOf(readFileSync(path, 'utf8'))
  if (committed.tools !== report) writeFileSync(path, committed.routes + report)
  expect(committed.tools, 'docs/isolation.md was stale and has been written anew').toBe(report)
})
