import { randomUUID } from 'node:crypto'
import { type AnyRoute, isRead, takesKey } from '@crewhall/contracts/route.ts'
import { type Mark, marksIn } from '../canary.ts'
import { tenantTables } from '../catalogue/catalogue.ts'
import { type Call, callOf, withFault } from './call.ts'
import {
  type BodyFault,
  combinationsOf,
  faultyCellsOf,
  hasForeign,
  type Ids,
  ownOf,
  withoutForeign,
} from './cells.ts'
import { freshValues, spareCookie } from './fresh.ts'
import { expectedStatus } from './oracle.ts'
import type { Caller, World } from './part.ts'
import { beforeWrites } from './parts.ts'
import { faultOfReplay } from './replay.ts'
import type { TappedServer } from './server.ts'

export interface Cell {
  readonly route: string
  readonly caller: string
  readonly ids: Ids
  readonly expected: number
  /** What is wrong with the body, beside all that may be wrong with the caller. */
  readonly fault?: BodyFault
}

export interface MatrixResult {
  readonly cells: readonly Cell[]
  /** Calls with a foreign id that were compared with the same call with a missing one. */
  readonly pairs: readonly Cell[]
  /** Statements that the compared calls sent; a comparison of nothing would prove nothing. */
  readonly compared_statements: number
  /** Marks of a caller's own workspace that were seen: proof that the canary can be seen at all. */
  readonly own_marks: number
  readonly faults: readonly string[]
}

interface Observed {
  readonly status: number
  readonly headers: string
  readonly body: string
  readonly statements: readonly string[]
  /** What was wrong with the same call again. */
  readonly replay?: string | undefined
}

export interface MatrixOptions {
  /** Which of them call a route; all by default. */
  readonly callersOf?: (route: AnyRoute) => readonly Caller[]
  /** Which combinations of ids; all by default. */
  readonly hasIds?: (ids: Ids) => boolean
  /** Without bodies that are no JSON, where they cannot be sent. */
  readonly is_without_faults?: boolean
}

/** Calls every route as every caller with every combination of ids, one at a time. */
export async function runMatrix(
  server: TappedServer,
  world: World,
  routes: readonly AnyRoute[],
  { callersOf = () => world.callers, hasIds = () => true, is_without_faults = false }: MatrixOptions = {},
): Promise<MatrixResult> {
  const tables = await tenantTables(server.admin)
  const cells: Cell[] = []
  const pairs: Cell[] = []
  const faults: string[] = []
  let own_marks = 0
  let compared_statements = 0
  for (const route of routes) {
    for (const caller of callersOf(route).filter((each) => mayBeAsked(route, each))) {
      const seen = new Map<string, Observed>()
      const isUnknown = expectedStatus(route, caller, ownOf(route)) === 401
      const combinations = combinationsOf(route, isUnknown).filter(hasIds)
      const memory = { is_fresh: false }
      for (const ids of combinations) {
        const cell = {
          route: route.id,
          caller: caller.name,
          ids,
          expected: expectedStatus(route, caller, ids),
        }
        const observed = await observe(server, world, { route, caller, memory }, cell)
        cells.push(cell)
        seen.set(JSON.stringify(ids), observed)
        faults.push(...faultsOfCell(cell, observed, foreignMarks(world, caller)))
        faults.push(...faultsOfDoors(cell, observed, tables))
        if (caller.brand) own_marks += marksIn(observed.body, [world.marks[caller.brand]]).length
      }
      for (const { ids, fault } of is_without_faults ? [] : faultyCellsOf(route, isUnknown)) {
        const expected = expectedStatus(route, caller, ids, fault)
        const cell = { route: route.id, caller: caller.name, ids, expected, fault }
        cells.push(cell)
        const observed = await observe(server, world, { route, caller, memory }, cell)
        faults.push(...faultsOfCell(cell, observed, foreignMarks(world, caller)))
      }
      // Where the interface distinguishes the two, there is nothing to compare.
      for (const ids of route.foreign ? [] : combinations.filter(hasForeign)) {
        const pair = {
          route: route.id,
          caller: caller.name,
          ids,
          expected: expectedStatus(route, caller, ids),
        }
        const [foreign, missing] = [ids, withoutForeign(ids)].map((each) => seen.get(JSON.stringify(each)))
        pairs.push(pair)
        compared_statements += foreign?.statements.length ?? 0
        faults.push(...differences(pair, foreign, missing))
      }
    }
  }
  return { cells, pairs, compared_statements, own_marks, faults }
}

/** Not a route of desks as a desk: whether that is refused depends on more than the oracle knows. */
const mayBeAsked = ({ auth }: AnyRoute, { is_desk = false }: Caller): boolean =>
  auth.kind !== 'desk' || !is_desk

const foreignMarks = ({ marks }: World, caller: Caller): Mark[] =>
  Object.entries(marks).flatMap(([place, mark]) =>
    caller.is_live && (place === caller.brand || place === caller.guest_of) ? [] : [mark],
  )

interface Asked {
  readonly route: AnyRoute
  readonly caller: Caller
  /** Whether the server remembers the caller as they are now. */
  readonly memory: { is_fresh: boolean }
}

async function observe(
  { get, plain = get, tap, admin }: TappedServer,
  world: World,
  { route, caller, memory }: Asked,
  { ids, expected, fault }: Cell,
): Promise<Observed> {
  // What a call may end is made for it alone; every other call has to leave what is there untouched.
  const mayWrite = expected < 400 && !isRead(route)
  const { cookie } = caller.headers
  const own = mayWrite && cookie ? { cookie: await spareCookie(admin, route, cookie) } : {}
  const key = mayWrite && takesKey(route) ? { 'idempotency-key': randomUUID() } : {}
  const headers = { ...caller.headers, ...own }
  const fresh = mayWrite ? await freshValues(admin, world, route, caller) : {}
  if (mayWrite) await beforeWrites[route.id]?.(admin, caller)
  // Whether a caller is remembered must not depend on the call before. Only what is written makes the server forget.
  if (caller.is_live && (mayWrite || !memory.is_fresh))
    await (await plain(`/api/v1/brands/${world.brands.one}/tokens`, { headers })).text()
  memory.is_fresh = !mayWrite
  tap.take()
  const good = callOf(route, world, ids, { ...headers, ...key }, fresh)
  const call = signedBy(caller, fault ? withFault(good, fault) : good)
  const response = await get(call.path, call.init)
  const body = await bodyOf(response)
  const statements = tap.take().filter((group) => !group.includes(lastUse))
  const kept = [...response.headers].filter(([name]) => !changing.has(name))
  const { status } = response
  const replay = mayWrite ? await faultOfReplay(get, route, call, { status, body }) : undefined
  return { status, headers: JSON.stringify(kept), body, statements, replay }
}

function signedBy({ sign }: Caller, { path, init }: Call): Call {
  if (!sign) return { path, init }
  const { method = 'GET', headers, body } = init
  const [place = path] = path.split('?', 1)
  const more = sign(method, place, typeof body === 'string' ? body : '')
  return { path, init: { ...init, headers: { ...(headers as Record<string, string>), ...more } } }
}

/** Of a stream that does not end by itself, what it says at once. */
async function bodyOf(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text()
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes('event: ready')) break
  }
  return text
}

/** Sent without waiting for it, so it may fall into the next call. */
export const lastUse = 'set last_used_on'
const changing = new Set(['date', 'x-request-id'])

const told = ({ route, caller, ids, fault }: Cell) =>
  `${route} as ${caller} with ${JSON.stringify(ids)}${fault ? ` and a body that is ${fault}` : ''}`

function faultsOfCell(cell: Cell, { status, body, replay }: Observed, foreign: readonly Mark[]): string[] {
  const faults = marksIn(body, foreign).map((mark) => `${told(cell)}: the answer holds ${mark}`)
  if (replay !== undefined) faults.push(`${told(cell)}: ${replay}`)
  return status === cell.expected ? faults : [...faults, `${told(cell)}: ${status}, not ${cell.expected}`]
}

/** The ways to the rows of a workspace; all end with their transaction. */
const doors = [
  'select platform.enter_brand($1, $2, $3, $4, $5)',
  'select platform.enter_brand($1, $2, $3, $4, $5), platform.limit_commit($6, $7)',
  `select set_config('app.system', 'on', true)`,
]

/** A statement that walked in another way may have found a door that an earlier request left open. */
function faultsOfDoors(cell: Cell, { statements }: Observed, tables: readonly string[]): string[] {
  return statements
    .filter((group) => tables.some((table) => group.includes(table)))
    .filter((group) => !doors.includes(group.split(';\n', 1)[0] ?? ''))
    .map((group) => `${told(cell)}: rows of a workspace were asked for without a door: ${group}`)
}

const ids = /\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g

/** A call that disregards the id may have made something, which has an id of its own each time. */
function comparable(observed: Observed, part: 'status' | 'headers' | 'body' | 'statements'): string {
  const told = JSON.stringify(observed[part])
  return part === 'body' && observed.status < 300 ? told.replaceAll(ids, 'a new id') : told
}

function differences(cell: Cell, foreign: Observed | undefined, missing: Observed | undefined): string[] {
  if (!foreign || !missing) return [`${told(cell)}: not observed`]
  const parts = ['status', 'headers', 'body', 'statements'] as const
  return parts
    .filter((part) => comparable(foreign, part) !== comparable(missing, part))
    .map((part) => {
      const both = JSON.stringify([foreign[part], missing[part]])
      return `${told(cell)}: ${part} tell a foreign id from a missing one: ${both}`
    })
}
