import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { mediaTypesOf } from '../bytes.ts'
import type { AnyRoute } from '../route.ts'
import { allRoutes } from '../routes.ts'
import { argumentsOf, keyArgument, requiredOf } from './arguments.ts'
import { callOf } from './calls.ts'
import { definitionOf } from './definitions.ts'
import { builtIns, methodsOf, scopesOf } from './packages.ts'
import { isFault, type ToolAction } from './tool.ts'
import { tools, toolsets } from './tools.ts'

const actions = tools.flatMap((tool) => tool.actions.map((action) => ({ tool, action })))
const sizeOf = (listed: typeof tools) => JSON.stringify(listed.map((tool) => definitionOf(tool))).length

test('the package boards has 87 methods in 1.27.0, up from 81 in 1.26.0', () => {
  expect(methodsOf('boards', '1.27.0')).toHaveLength(87)
  expect(methodsOf('boards', '1.26.0')).toHaveLength(81)
  expect(methodsOf('boards', '1.25.9')).toHaveLength(0)
  expect(methodsOf('boards', '1.100.0')).toHaveLength(87)
})

test('the six methods that 1.27.0 brought are those of hooks and delivery', () => {
  const found = methodsOf('boards', '1.27.0').filter(({ since }) => since === '1.27.0')
  expect(found.map(({ name }) => name).toSorted()).toEqual([
    'changeHook',
    'deleteHook',
    'getDelivery',
    'getMergeMove',
    'listHooks',
    'setMergeMove',
  ])
})

test('every version of a package has methods, and each names a version that was published', () => {
  for (const { key, versions } of builtIns) {
    for (const version of versions) expect(methodsOf(key, version)).not.toHaveLength(0)
    for (const { since } of methodsOf(key, versions.at(-1) ?? '')) expect(versions).toContain(since)
  }
})

test('a package tells which scopes its methods need', () => {
  expect(scopesOf('lessons', '1.0.0')).toEqual(['brand:admin', 'memory:read', 'memory:write', 'code:read'])
  expect(scopesOf('boards', '1.27.0')).toEqual(['brand:admin'])
})

test('every action but those of the core is a method, and no two stand for one route', () => {
  expect(
    actions.filter(({ tool, action }) => (tool.package === 'core') !== (action.method === undefined)),
  ).toEqual([])
  const routes = actions.map(({ action }) => action.route.id)
  expect(new Set(routes).size).toBe(routes.length)
  for (const { key, versions } of builtIns) {
    const names = methodsOf(key, versions.at(-1) ?? '').map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  }
})

test('every action stands for a route of the product that a token can call and that returns text', () => {
  const known = new Set<AnyRoute>(allRoutes)
  for (const { action } of actions) {
    const { route } = action
    expect(known.has(route), route.id).toBe(true)
    expect(isForTokens(route), route.id).toBe(true)
    expect(route.upload, route.id).toBeUndefined()
    expect(route.tells_once ?? route.takes_secret, route.id).toBeUndefined()
    for (const answer of Object.values(route.responses))
      for (const type of mediaTypesOf(answer) ?? [])
        expect(type, route.id).toMatch(/^text\/(markdown|csv)$|ndjson$/)
  }
})
const isForTokens = ({ auth }: AnyRoute) =>
  auth.kind === 'token' || (auth.kind === 'person' && auth.credential === 'any')

test('the arguments of an action are the fields of its contract, each once', () => {
  const added = new Set(['dry_run', keyArgument, 'if_match', 'offset'])
  for (const { action } of actions) {
    const names = argumentsOf(action).map(({ name }) => name)
    expect(new Set(names).size, action.route.id).toBe(names.length)
    expect(names, action.route.id).not.toContain('action')
    const fields = argumentsOf(action).filter(({ name }) => !added.has(name))
    expect(fields.map(({ field }) => field).toSorted(), action.route.id).toEqual(fieldsOf(action).toSorted())
  }
})
function fieldsOf({ route, omits = [] }: ToolAction): string[] {
  return (['params', 'query', 'body'] as const).flatMap((place) => {
    const shape = shapeOf(route[place])
    return shape === null ? [place] : Object.keys(shape).filter((name) => !omits.includes(name))
  })
}
/** Of an object, whatever is around it; null for something else that a body can be. */
function shapeOf(schema: unknown): object | null {
  if (schema === undefined) return {}
  const { shape, def } = schema as { shape?: object; def: { innerType?: unknown } }
  return shape ?? (def.innerType === undefined ? null : shapeOf(def.innerType))
}

test('a call with what is required is a request that the contract does not find incomplete', () => {
  for (const { tool, action } of actions) {
    const args = Object.fromEntries(requiredOf(action).map((name) => [name, 'x']))
    const call = callOf(tool, { action: action.name, ...args })
    if (isFault(call)) throw new Error(`${action.route.id}: ${call.fault}`)
    for (const place of ['params', 'query', 'body'] as const) {
      const issues = action.route[place]?.safeParse(call[place], { reportInput: true }).error?.issues ?? []
      const missing = issues.filter((issue) => issue.code === 'invalid_type' && issue.input === undefined)
      expect(
        missing.map(({ path }) => path),
        action.route.id,
      ).toEqual([])
    }
  }
})

test('12 tools by default within 16,000 characters, 30 in all within 48,000', () => {
  const byDefault = tools.filter(({ toolset }) => toolset === 'default')
  expect(byDefault.map(({ name }) => name)).toEqual([
    ...['whoami', 'boards', 'cards_search', 'card_read', 'card_write', 'card_move', 'card_claim'],
    ...['comments', 'activity', 'lessons_near', 'memory', 'help'],
  ])
  expect(sizeOf(byDefault)).toBeLessThanOrEqual(16_000)
  expect(tools).toHaveLength(30)
  expect(sizeOf(tools)).toBeLessThanOrEqual(48_000)
  expect(toolsets).toEqual(expect.arrayContaining(['workspace', 'desks', 'profiles', 'memory', 'lessons']))
})

test('names of tools are short and never look like those of outside tools', () => {
  for (const { name } of tools) expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/)
  expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
})

test('the documentation lists every tool with its toolset and actions', () => {
  const page = readFileSync(new URL('../../../../docs/tools.md', import.meta.url), 'utf8')
  const rows = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  for (const { name, toolset, actions } of tools) {
    const listed = actions.map((action) => `\`${action.name}\``).join(', ')
    const row = rows.find(([, first]) => first === `\`${name}\``)
    expect(row?.slice(2, 4), name).toEqual([`\`${toolset}\``, listed || row?.[3]])
  }
})
