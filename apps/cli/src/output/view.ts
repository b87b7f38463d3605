import type { AnyRoute } from '@crewhall/contracts/route.ts'
import { successStatus } from '@crewhall/contracts/route.ts'
import { z } from 'zod'

/** What of a response is a list, and which fields its items have. */
export interface View {
  /** The field that holds the list; undefined if the response is one thing. */
  readonly list: string | undefined
  /** Fields of an item or of the one thing, in the order of the contract. */
  readonly fields: readonly string[]
  /** Those that a table shows; dots lead into objects. */
  readonly columns: readonly string[]
}

type Json = Record<string, unknown>

/** Fields that tell more than others, in the order in which a table shows them. */
const telling = [
  'ref',
  'key',
  'id',
  'name',
  'title',
  'status',
  'state',
  'role',
  'email',
  'kind',
  'type',
  'action',
  'created_at',
]
const mostColumns = 6

/** From the schema of the response, so that no command names the fields of a contract again. */
export function viewOf(route: AnyRoute, columns?: readonly string[], named?: string): View {
  const schema = route.responses[successStatus(route)]
  const sent = schema ? jsonSchemaOf(schema) : {}
  // A list by itself is taken for one that has no name.
  const json = sent.type === 'array' ? { properties: { '': sent } } : sent
  const all = propertiesOf(json)
  const list = named ?? Object.keys(all).find((name) => isListOfObjects(all[name]))
  const isList = list !== undefined && (named !== undefined || isListLike(all))
  const of = isList ? propertiesOf((all[list]?.items ?? {}) as Json) : all
  const fields = Object.keys(of)
  return { list: isList ? list : undefined, fields, columns: columns ?? columnsOf(of) }
}

/** One list, and what is told about it in plain values. A thing that has a list among its parts has an id or a key. */
const isListLike = (all: Readonly<Record<string, Json>>): boolean =>
  !('id' in all || 'key' in all) &&
  Object.values(all).filter(isListOfObjects).length === 1 &&
  Object.entries(all).every(
    ([name, field]) => name === 'facets' || isListOfObjects(field) || !isStructured(field),
  )

const isStructured = (field: Json): boolean =>
  field.type === 'object' || ((field.anyOf ?? field.oneOf ?? []) as Json[]).some(isStructured)

const isListOfObjects = (field: Json | undefined): boolean =>
  field?.type === 'array' && Object.keys(propertiesOf((field.items ?? {}) as Json)).length > 0

function columnsOf(fields: Readonly<Record<string, Json>>): string[] {
  const isShort = (name: string) => !['array'].includes(String(fields[name]?.type))
  const names = Object.keys(fields).filter(isShort)
  const first = telling.filter((name) => names.includes(name))
  const ids = first.filter((name) => name !== 'id' || !(first.includes('ref') || first.includes('key')))
  const isNamed = ['ref', 'key', 'id'].some((name) => first.includes(name))
  const [own] = isNamed ? [] : names.filter((name) => name.endsWith('_id'))
  const others = names.filter((name) => !telling.includes(name) && !name.endsWith('_id'))
  return [...(own === undefined ? [] : [own]), ...ids, ...others].slice(0, mostColumns)
}

function propertiesOf(json: Json): Record<string, Json> {
  if (json.properties) return json.properties as Record<string, Json>
  // Of several shapes, what any of them has.
  const cases = (json.anyOf ?? json.oneOf ?? []) as Json[]
  return Object.assign({}, ...cases.map(propertiesOf).toReversed())
}

function jsonSchemaOf(schema: z.ZodType): Json {
  const json = z.toJSONSchema(schema, {
    io: 'output',
    reused: 'inline',
    unrepresentable: 'any',
    cycles: 'ref',
  }) as Json
  return inlined(json, (json.$defs ?? {}) as Record<string, Json>, 0) as Json
}

function inlined(value: unknown, definitions: Readonly<Record<string, Json>>, depth: number): unknown {
  if (depth > 12) return {}
  if (Array.isArray(value)) return value.map((each) => inlined(each, definitions, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, $defs: _, ...rest } = value as Json
  if (typeof $ref === 'string')
    return inlined(definitions[$ref.slice('#/$defs/'.length)] ?? {}, definitions, depth + 1)
  return Object.fromEntries(
    Object.entries(rest).map(([name, each]) => [name, inlined(each, definitions, depth + 1)]),
  )
}

/** The items of a list in a response. */
export function itemsIn(body: unknown, list: string | undefined): unknown[] | undefined {
  if (list === undefined) return undefined
  const found = list === '' ? body : (body as Record<string, unknown> | null)?.[list]
  return Array.isArray(found) ? found : undefined
}
