type Json = Record<string, unknown>

/**
 * The schema of an answer, as the serialiser is fastest with it. It tries the sides of a union by validating the
 * value against each, and to the contracts everything that may be null is a union with null: a list of 100 cards
 * took 2,500 validations. A type that is `nullable` takes none.
 */
export function withoutNullUnions(schema: unknown): unknown {
  const defs = (schema as { $defs?: Json } | null)?.$defs ?? {}
  simplify(schema, defs, new Set())
  return schema
}

function simplify(node: unknown, defs: Json, seen: Set<unknown>): void {
  if (typeof node !== 'object' || node === null || seen.has(node)) return
  seen.add(node)
  const present = Array.isArray(node) ? undefined : presentSide(node as Json, defs)
  if (present) {
    delete (node as Json).anyOf
    Object.assign(node, present, { nullable: true })
  }
  for (const inner of Object.values(node)) simplify(inner, defs, seen)
}

/** The side that is not null, when there are two and it is of one type. */
function presentSide({ anyOf }: Json, defs: Json): Json | undefined {
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return undefined
  const [side, other] = anyOf as Json[]
  if (!side || other?.type !== 'null') return undefined
  const name = typeof side.$ref === 'string' ? side.$ref.replace('#/$defs/', '') : undefined
  const meant = name === undefined ? side : (defs[name] as Json | undefined)
  // A constant is written without a look at the value, so null has to stay a side of its own.
  if (typeof meant?.type !== 'string' || 'const' in meant) return undefined
  // Inside a union that is left, null would have to be one of the values.
  const { enum: _, ...open } = meant
  return open
}
