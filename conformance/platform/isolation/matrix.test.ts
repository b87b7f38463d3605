import { readFileSync, writeFileSync } from 'node:fs'
import { allRoutes } from '@crewhall/contracts/routes.ts'
import { marksIn, queueText, redisText } from '@crewhall/testkit/canary.ts'
import { auditedRoutes } from '@crewhall/testkit/catalogue/audit-reviewed.ts'
import { tenantTables } from '@crewhall/testkit/catalogue/catalogue.ts'
import { type MatrixResult, runMatrix } from '@crewhall/testkit/matrix/matrix.ts'
import type { World } from '@crewhall/testkit/matrix/part.ts'
import { emptyTables } from '@crewhall/testkit/matrix/parts.ts'
import { isolationReport, partsOf } from '@crewhall/testkit/matrix/report.ts'
import { startTappedServer, type TappedServer } from '@crewhall/testkit/matrix/server.ts'
import { createWorld } from '@crewhall/testkit/matrix/world.ts'
import { root } from '@crewhall/testkit/server-process.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'

let server: TappedServer
let world: World
let before: Record<string, string>
let result: MatrixResult
const closed = allRoutes.filter(({ auth }) => auth.kind !== 'nobody')

/** All that must come out of the matrix as it went in: every row of the foreign workspace, and one kept token each. */
async function untouched(): Promise<Record<string, string>> {
  const { brands, tokens } = world
  const rowsOf = async (table: string, where: string, value: unknown) => {
    const { rows } = await server.admin.query<{ rows: string | null }>(
      `select string_agg(t::text, E'\\n' order by t::text) as rows from ${table} t where ${where}`,
      [value],
    )
    return rows[0]?.rows ?? ''
  }
  const found: Record<string, string> = {
    'identity.brands': await rowsOf('identity.brands', 'id = $1', brands.three),
    'kept tokens': await rowsOf('identity.tokens', 'id = any($1)', Object.values(tokens)),
  }
  for (const table of await tenantTables(server.admin)) {
    if (table === 'identity.brands') continue
    found[table] = await rowsOf(table, 'brand_id = $1', brands.three)
  }
  return found
}

beforeAll(async () => {
  server = await startTappedServer()
  world = await createWorld(server.get, server.admin)
  before = await untouched()
  result = await runMatrix(server, world, closed)
  // Some thousand calls, one at a time.
}, 2_400_000)
afterAll(() => server.close())

test('AUTH-04 AUTH-G8 every cell answers what the contract says, and a foreign id as a missing one', () => {
  expect(result.faults).toEqual([])
})

test('the matrix holds every route that is not public, every caller and comparisons of real statements', () => {
  expect(new Set(result.cells.map(({ route }) => route)).size).toBe(closed.length)
  expect(new Set(result.cells.map(({ caller }) => caller)).size).toBe(world.callers.length)
  expect(result.compared_statements).toBeGreaterThan(100)
  expect(new Set(result.cells.map(({ expected }) => expected))).toEqual(
    new Set([200, 201, 202, 204, 400, 401, 403, 404, 409, 422]),
  )
})

test('no refused call has changed anything: no row of any table of the foreign workspace', async () => {
  expect(await untouched()).toEqual(before)
  // Where the foreign workspace has no row, only an added one would show; a new table is filled or listed in its module’s part.
  expect(Object.keys(before).filter((table) => before[table] === '')).toEqual(emptyTables)
})

/** The body that the matrix sends leaves a coder as open as it was, and what changes nothing is not noted. */
const changesNothing = ['profiles.changeCoder']

test('every privileged change that the matrix has made stands in the audit log of its workspace', async () => {
  const made = result.cells.filter(({ expected }) => expected < 400).map(({ route }) => route)
  const wanted = [...new Set(made)].filter((route) => auditedRoutes[route] && !changesNothing.includes(route))
  const { rows } = await server.admin.query<{ action: string }>(
    'select distinct action from platform.audit_entries where brand_id = $1',
    [world.brands.one],
  )
  const noted = rows.map(({ action }) => action)
  expect(wanted.length).toBeGreaterThan(10)
  expect(wanted.filter((route) => !noted.includes(auditedRoutes[route] ?? ''))).toEqual([])
})

test('marks show where they may and nowhere else: not in logs, Redis or the queue', async () => {
  const marks = Object.values(world.marks)
  expect(result.own_marks).toBeGreaterThan(0)
  // The log is buffered; the process writes the rest when it ends.
  await server.api.stop()
  expect(server.api.lines.length).toBeGreaterThan(result.cells.length)
  expect(marksIn(server.api.lines.join('\n'), marks)).toEqual([])
  expect(marksIn(await redisText(server.database.name), marks)).toEqual([])
  expect(marksIn(await queueText(server.admin), marks)).toEqual([])
})

test('docs/isolation.md is what this run has found', () => {
  const path = `${root}/docs/isolation.md`
  const report = isolationReport(result)
  const { routes, tools } = partsOf(read(path) ?? '')
  if (routes !== report) writeFileSync(path, report + tools)
  expect(routes, 'docs/isolation.md was stale and has been written anew').toBe(report)
})

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
