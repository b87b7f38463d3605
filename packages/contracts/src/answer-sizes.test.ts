import { expect, test } from 'vitest'
import { z } from 'zod'
import { mediaTypesOf } from './bytes.ts'
import { type AnyRoute, isRead } from './route.ts'
import { allRoutes } from './routes.ts'

// How long an answer can become, worked out from the contracts: what may be written bounds what can be read.

const most = 4 * 1024 * 1024

interface Json {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, Json>>
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Json[]
  readonly oneOf?: readonly Json[]
  readonly allOf?: readonly Json[]
  readonly properties?: Readonly<Record<string, Json>>
  readonly additionalProperties?: Json | boolean
  readonly items?: Json
  readonly maxLength?: number
  readonly maxItems?: number
}

/** A character that JSON has to escape. */
const characterBytes = 6
/** Names that we make, keys, ranks, cursors: texts that nobody writes. */
const ownText = 1000
/** Ids; and texts whose bytes the database bounds, without control characters: the longest escape has two bytes. */
const bounded: Readonly<Record<string, number>> = {
  'code.getGraph.nodes[].id': 36,
  'code.getGraph.nodes[].path': 2 * 1024,
  'code.getGraph.nodes[].symbol': 2 * 512,
  'code.getGraph.edges[].from': 36,
  'code.getGraph.edges[].to': 36,
  // All definitions of an install together have 64 KiB, and all methods of a version 256 KiB.
  'marketplace.getInstall.tools[].description': 1024,
  'marketplace.getInstall.found.tools[].description': 1024,
  'marketplace.getPackageVersion.methods[].name': 600,
  'marketplace.getPackageVersion.methods[].summary': 1800,
  // All files of a template together have 256 KiB, control characters included.
  'hires.getCatalogEmployee.published.template.files[].content': characterBytes * 8192,
  'hires.fetchDeskHire.files[].content': characterBytes * 8192,
  'hires.getCatalogEmployee.draft.template.files[].content': characterBytes * 8192,
  'lessons.reAnchorLesson.anchors[].now': 2 * 1537,
  'lessons.reAnchorLesson.anchors[].suggestions[].anchor': 2 * 1537,
  'lessons.getLesson.history[].moves[].from': 2 * 1537,
  'lessons.getLesson.history[].moves[].to': 2 * 1537,
}
/** Objects of any shape, in bytes. */
const objects: Readonly<Record<string, number>> = {
  agent_context: 16_384,
  // A mask may be longer than what it stands for.
  config: 16_384,
  // Counts by reasons of ours.
  dropped: 2048,
  skipped: 2048,
  // The feed and the audit name long texts and do not repeat them.
  data: 8192,
  from: 8192,
  to: 8192,
  env: 16_384,
  // Of one tool among 64.
  input_schema: 1024,
  filters: 8192,
  // Of an entry of the feed; `deriveTold` bounds it.
  changes: 8192,
  holds: 4096,
  // Of up to 1,000 nodes; the bodies of five lessons each are sent in batches.
  counts: 1000 * 60,
  entries: 1000 * 5 * 6 * 20_000,
}
/** Lists that neither a page nor what may be written bounds; the services refuse more. */
const lists: Readonly<Record<string, number>> = {
  'mailboxes.getAddress.forwarding': 100,
  'identity.getMe.memberships': 100,
  'identity.listTokens.tokens': 100,
  'identity.listPlans.plans': 50,
  'boards.listCards.items[].blocked_by': 200,
  'boards.getCard.blocked_by': 200,
  'boards.listRelations.items': 600,
  'boards.listMasterCards.items': 10_000,
  'workspaces.listGuests.guests': 2000,
  'workspaces.listGuests.guests[].access': 2,
  'profiles.listProfiles': 30,
  'profiles.listProfiles[].recommended_for': 10,
  'profiles.getProfile.recommended_for': 10,
  'profiles.listCoders': 10,
  // Fewer than other routes take under this name.
  'webhooks.listWebhooks.items[].board_ids': 100,
  'code.getGraph.nodes': 1000,
  'code.getGraph.edges': 5000,
}
/** Cut to the bytes that the caller asks for. */
const budgeted = ['boards.readContext']

const jsonOf = (schema: z.ZodType, io: 'input' | 'output') =>
  z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json

/** The longest text and list that any body may bring under a name. */
const written = { texts: new Map<string, number>(), lists: new Map<string, number>() }
function learn(json: Json, root: Json, name: string): void {
  if (json.$ref) learn(root.$defs?.[json.$ref.replace('#/$defs/', '')] ?? {}, root, name)
  const raise = (known: Map<string, number>, value?: number) => {
    if (value !== undefined) known.set(name, Math.max(value, known.get(name) ?? 0))
  }
  raise(written.texts, json.maxLength)
  raise(written.lists, json.maxItems)
  for (const each of [...(json.anyOf ?? []), ...(json.oneOf ?? []), ...(json.allOf ?? [])])
    learn(each, root, name)
  if (json.items) learn(json.items, root, name)
  for (const [key, inner] of Object.entries(json.properties ?? {})) learn(inner, root, key)
}
for (const { body } of allRoutes) {
  if (!body) continue
  const json = jsonOf(body, 'input')
  learn(json, json, '')
}

/** The largest page that the query lets a caller ask for. */
function pageOf({ query }: AnyRoute): number | undefined {
  const { properties = {} } = query ? jsonOf(query, 'input') : {}
  const page = (properties.per_page ?? properties.limit) as { override?: { maximum?: number } } | undefined
  return page?.override?.maximum
}

class Unbounded extends Error {}

function bytesOf(
  json: Json,
  at: { root: Json; name: string; page: number | undefined; path: string },
): number {
  const { root, name, page, path } = at
  if (json.$ref) return bytesOf(root.$defs?.[json.$ref.replace('#/$defs/', '')] ?? {}, at)
  if (json.const !== undefined) return JSON.stringify(json.const).length
  if (json.enum) return Math.max(...json.enum.map((value) => JSON.stringify(value).length))
  const either = json.anyOf ?? json.oneOf
  if (either) return Math.max(...either.map((each) => bytesOf(each, at)))
  const types = [json.type ?? []].flat()
  if (types.includes('string')) {
    const bytes = bounded[path]
    if (bytes !== undefined) return 2 + bytes
    const length = json.maxLength ?? written.texts.get(name)
    return length === undefined ? ownText : 2 + length * characterBytes
  }
  if (types.includes('array')) {
    const items = json.maxItems ?? lists[path] ?? written.lists.get(name) ?? page
    if (items === undefined) throw new Unbounded(`${path} has no bound`)
    return 2 + items * (1 + bytesOf(json.items ?? {}, { ...at, page: undefined, path: `${path}[]` }))
  }
  if (types.includes('object') && json.properties) {
    return Object.entries(json.properties).reduce(
      (sum, [key, inner]) =>
        sum + key.length + 4 + bytesOf(inner, { ...at, name: key, path: `${path}.${key}` }),
      2,
    )
  }
  if (types.includes('integer') || types.includes('number') || types.includes('boolean')) return 24
  if (types.includes('null')) return 4
  const size = objects[name]
  if (size === undefined) throw new Unbounded(`${path} may be anything`)
  return size
}

const reads = allRoutes
  .filter((route) => isRead(route) && !budgeted.includes(route.id))
  .flatMap((route) =>
    Object.values(route.responses)
      .filter((schema) => !mediaTypesOf(schema))
      .map((schema) => ({ route, schema })),
  )
const largest = ({ route, schema }: { route: AnyRoute; schema: z.ZodType }): number => {
  const root = jsonOf(schema, 'output')
  return bytesOf(root, { root, name: '', page: pageOf(route), path: route.id })
}

test('S10: what can be read has a largest size, and what can pass 4 MiB is sent in batches', () => {
  const sizes = reads.map((read) => ({
    id: read.route.id,
    is_long: read.route.is_long,
    bytes: largest(read),
  }))
  expect(sizes.length).toBeGreaterThan(40)
  const held = sizes.filter(({ is_long, bytes }) => !is_long && bytes > most)
  expect(held).toEqual([])
  const needless = sizes.filter(({ is_long, bytes }) => is_long && bytes <= most)
  expect(needless).toEqual([])
})

test('S10: a list without a bound, and a text that is too long for its list, are found', () => {
  const planted = (schema: z.ZodType) => () =>
    largest({ route: { ...(allRoutes[0] as AnyRoute), id: 'planted', query: undefined }, schema })
  expect(planted(z.object({ things: z.array(z.string()) }))).toThrow('planted.things has no bound')
  expect(planted(z.object({ thing: z.unknown() }))).toThrow('planted.thing may be anything')
  expect(
    planted(z.object({ items: z.array(z.object({ instructions: z.string() })).max(100) }))(),
  ).toBeGreaterThan(most)
})
