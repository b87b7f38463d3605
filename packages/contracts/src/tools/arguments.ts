import { z } from 'zod'
import { type AnyRoute, isRead, takesDryRun, takesKey } from '../route.ts'
import type { ToolAction } from './tool.ts'

type Json = Record<string, unknown>
export type Place = 'params' | 'query' | 'body'

/** An argument of an action: a field of its contract, or something that all routes of its kind take. */
export interface Argument {
  readonly name: string
  readonly place: Place | 'key' | 'if_match' | 'offset' | 'whole_body'
  /** Its name in the contract. */
  readonly field: string
  readonly is_required: boolean
  /** As exact as the contract. */
  readonly schema: Json
}

/** The argument that becomes the `Idempotency-Key`; `key` is a field of several contracts. */
export const keyArgument = 'idempotency_key'

const known = new WeakMap<ToolAction, readonly Argument[]>()

export function argumentsOf(action: ToolAction): readonly Argument[] {
  const found = known.get(action) ?? list(action)
  known.set(action, found)
  return found
}

function list(action: ToolAction): Argument[] {
  const { route } = action
  const fields = (['params', 'query', 'body'] as const).flatMap((place) => fieldsOf(action, place))
  const more: Argument[] = []
  const add = (name: string, place: Argument['place'], schema: Json) =>
    more.push({ name, place, field: name, is_required: false, schema })
  if (takesDryRun(route)) add('dry_run', 'query', { type: 'boolean' })
  if (takesKey(route)) add(keyArgument, 'key', { type: 'string', pattern: '^[!-~]{1,255}$' })
  if (route.versioned)
    add('if_match', 'if_match', { type: 'integer', description: 'version that the card must have' })
  if (isRead(route)) add('offset', 'offset', { type: 'integer', minimum: 0 })
  return [...fields, ...more]
}

/** Many routes share their parameters, and each schema takes as long to turn into JSON. */
const schemas = new WeakMap<z.ZodType, Json>()

function fieldsOf(action: ToolAction, place: Place): Argument[] {
  const given = action.route[place]
  if (!given) return []
  const schema = schemas.get(given) ?? jsonSchemaOf(given)
  schemas.set(given, schema)
  const properties = schema.properties as Record<string, Json> | undefined
  const isOptional = given.safeParse(undefined).success
  if (!properties)
    return [{ name: place, place: 'whole_body', field: place, is_required: !isOptional, schema }]
  const required = isOptional ? [] : ((schema.required ?? []) as string[])
  const omitted = new Set(action.omits)
  return Object.entries(properties)
    .filter(([field]) => !omitted.has(field))
    .map(([field, property]) => ({
      name: action.renames?.[field] ?? field,
      place,
      field,
      is_required: place === 'params' || required.includes(field),
      schema: property,
    }))
}

/** Input of a contract as JSON Schema, without references, and with the types that a tool takes. */
function jsonSchemaOf(schema: z.ZodType): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: 'input',
    reused: 'inline',
    unrepresentable: 'any',
    override: ({ jsonSchema, zodSchema }) => {
      const meta = z.globalRegistry.get(zodSchema)
      const override = meta?.override as Json | undefined
      delete jsonSchema.id
      if (override) {
        delete jsonSchema.override
        if (override.type !== 'string') delete jsonSchema.pattern
        Object.assign(jsonSchema, override)
      }
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  }) as Json & { $defs?: Record<string, Json> }
  const { $defs = {}, ...rest } = json
  return inlined(rest, $defs) as Json
}

/** Definitions of named parts are put where they are used; contracts of requests have no cycles. */
function inlined(value: unknown, definitions: Readonly<Record<string, Json>>): unknown {
  if (Array.isArray(value)) return value.map((each) => inlined(each, definitions))
  if (typeof value !== 'object' || value === null) return value
  const { $ref, ...rest } = value as Json
  if (typeof $ref === 'string') return inlined(definitions[$ref.slice('#/$defs/'.length)], definitions)
  return Object.fromEntries(Object.entries(rest).map(([name, each]) => [name, inlined(each, definitions)]))
}

export const requiredOf = (action: ToolAction): string[] =>
  argumentsOf(action)
    .filter(({ is_required }) => is_required)
    .map(({ name }) => name)

/** Whether the response comes as JSON by itself; memories are YAML unless asked otherwise. */
export const jsonFormatOf = ({ formats }: AnyRoute): 'json' | undefined =>
  formats !== undefined && formats.default !== 'json' && formats.accepts.includes('json') ? 'json' : undefined
