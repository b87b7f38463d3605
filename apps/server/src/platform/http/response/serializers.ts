import type { AnyRoute } from '@crewhall/contracts/route.ts'
import { z } from 'zod'
import { withoutNullUnions } from '#platform/http/response/answer-schema.ts'

type Serialize = (body: unknown) => string

/** What makes one of a schema: any reply does. */
export interface SerializerSource {
  compileSerializationSchema(schema: Record<string, unknown>): unknown
}

const compiled = new WeakMap<AnyRoute, Map<number, Serialize>>()

/**
 * The shape of a response is fixed by the contract: a column that is not listed there cannot leak. Compiled at the first
 * response, because all of them together are a quarter of the time a process takes to start.
 */
export function serializerOf(spec: AnyRoute, status: number, source: SerializerSource): Serialize {
  const known = compiled.get(spec)?.get(status)
  if (known) return known
  const made = source.compileSerializationSchema(schemaOf(spec, status)) as Serialize
  const ofRoute = compiled.get(spec) ?? new Map<number, Serialize>()
  compiled.set(spec, ofRoute.set(status, made))
  return made
}

function schemaOf(spec: AnyRoute, status: number): Record<string, unknown> {
  const schema = spec.responses[status]
  if (!schema) throw new Error(`${spec.id} answered ${status}, which its contract does not list`)
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' })
  return withoutNullUnions(withoutIds(json)) as Record<string, unknown>
}

/** Names belong to the document; the serializer would take them for references. */
function withoutIds(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json), function drop(this: unknown, key: string, value: unknown) {
    return key === 'id' && typeof value === 'string' ? undefined : value
  })
}
