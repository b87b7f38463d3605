import { readFileSync, writeFileSync } from 'node:fs'
import { allRoutes } from '@crewhall/contracts/routes.ts'
import { auditedRoutes } from '@crewhall/testkit/audit-reviewed.ts'
import { marksIn, queueText, redisText } from '@crewhall/testkit/canary.ts'
import { type MatrixResult, runMatrix } from '@crewhall/testkit/matrix.ts'
import { isolationReport } from '@crewhall/testkit/matrix-report.ts'
import { startTappedServer, type TappedServer } from '@crewhall/testkit/matrix-server.ts'
import { createWorld, type World } from '@crewhall/testkit/matrix-world.ts'
import { root } from '@crewhall/testkit/server-process.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'

let server: TappedServer
let world: World
let before: string
let result: MatrixResult
const closed = allRoutes.filter(({ auth }) => auth.kind !== 'nobody')

/** Everything that must come out of the matrix as it went in: the foreign workspace, and one kept token each. */
async function untouched(): Promise<string> {
  const { rows } = await server.admin.query<{ row: string }>(
    `select b::text as row from identity.brands b where id = $1
     union all select m::text from identity.memberships m where brand_id = $1
     union all select s::text from workspaces.feature_switches s where brand_id = $1
     union all select e::text from platform.audit_entries e where brand_id = $1
     union all select p::text from workspaces.member_photos p where brand_id = $1
     union all select d::text from docs_spaces.spaces d where brand_id = $1
     union all select d::text from docs_spaces.pages d where brand_id = $1
     union all select d::text from docs_spaces.guests d where brand_id = $1
     union all select w::text from webhooks.endpoints w where brand_id = $1
     union all select w::text from webhooks.deliveries w where brand_id = $1
     union all select g::text from boards.guests g where brand_id = $1
     union all select t::text from identity.tokens t where brand_id = $1 or id = any($2) order by 1`,
    [world.brands.three, Object.values(world.tokens)],
  )
  return JSON.stringify(rows)
}

beforeAll(async () => {
  server = await startTappedServer()
  world = await createWorld(server.get, server.admin)
  before = await untouched()
  result = await runMatrix(server, world, closed)
  // Some thousand calls, one at a time.
}, 600_000)
afterAll(() => server.close())

test('AUTH-04 AUTH-G8 every cell answers what the contract says, and a foreign id as a missing one', () => {
  expect(result.faults).toEqual([])
})

test('the matrix holds every route that is not public, every caller and comparisons of real statements', () => {
  expect(new Set(result.cells.map(({ route }) => route)).size).toBe(closed.length)
  expect(new Set(result.cells.map(({ caller }) => caller)).size).toBe(world.callers.length)
  expect(result.compared_statements).toBeGreaterThan(100)
  expect(new Set(result.cells.map(({ expected }) => expected))).toEqual(
    new Set([200, 201, 400, 401, 403, 404, 409, 422]),
  )
})

test('no refused call has changed anything', async () => {
  expect(await untouched()).toBe(before)
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
  const committed = read(path)
  if (committed !== report) writeFileSync(path, report)
  expect(committed, 'docs/isolation.md was stale and has been written anew').toBe(report)
})

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
