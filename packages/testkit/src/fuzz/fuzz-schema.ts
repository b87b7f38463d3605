import fc from 'fast-check'

export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
}

export type Schemas = Readonly<Record<string, JsonSchema>>

/** Values a schema accepts. Fails on a keyword it does not know how to obey, instead of guessing. */
export function valuesOf(schema: JsonSchema, named: Schemas): fc.Arbitrary<unknown> {
  const inner = (part: JsonSchema) => valuesOf(part, named)
  if (schema.$ref) return inner(resolve(schema.$ref, named))
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if ('const' in schema) return fc.constant(schema.const)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return fc.oneof(...choices.map(inner))
  // Whatever JSON can say, but what the server refuses in any text.
  if (Object.keys(schema).length === 0) return fc.jsonValue({ maxDepth: 3 }).filter(isHarmless)
  switch (schema.type) {
    case 'string':
      return textsOf(schema)
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -(2 ** 31), max: schema.maximum ?? 2 ** 31 - 1 })
    case 'number':
      return fc.double({
        noNaN: true,
        noDefaultInfinity: true,
        min: schema.minimum ?? -1e9,
        max: schema.maximum ?? 1e9,
      })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(inner(schema.items ?? { type: 'null' }), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 10, 50),
      })
    case 'object':
      return objectsOf(schema, named)
    default:
      throw new Error(`no values known for the schema ${JSON.stringify(schema)}`)
  }
}

const isHarmless = (value: unknown): boolean => {
  const text = JSON.stringify(value)
  return text.isWellFormed() && !/\\u0000|\\ud[89a-f]|"__proto__"/i.test(text)
}

function resolve(ref: string, named: Schemas): JsonSchema {
  const found = named[ref.slice(ref.lastIndexOf('/') + 1)]
  if (!found) throw new Error(`the document names ${ref} and does not hold it`)
  return found
}

/** Lengths count code points, and any of them may stand in a text but those no text can hold. */
function textsOf({ pattern, minLength = 0, maxLength = 200 }: JsonSchema): fc.Arbitrary<string> {
  if (pattern) return matching(pattern).filter((made) => made.length <= maxLength)
  const unit = fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }) },
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((char) => char !== '\0'),
  )
  const any = fc.string({ unit, minLength, maxLength: Math.min(maxLength, longest), size: 'max' })
  // Non-empty text must contain something visible, which a schema cannot express.
  const isValid = (made: string) => minLength !== 1 || visible.test(made)
  const short = any.filter(isValid)
  if (maxLength <= longest) return short
  // A long text made character by character takes longer than everything that is tested with it.
  const most = Math.min(maxLength, longestFull)
  const full = fc.tuple(unit, fc.constantFrom(most, most - 1)).map(([char, n]) => char.repeat(n))
  return fc.oneof({ weight: 9, arbitrary: short }, full.filter(isValid))
}

/** Making one takes longer than a hundred texts of it, and most routes have the same few patterns. */
function matching(pattern: string): fc.Arbitrary<string> {
  const known = ofPattern.get(pattern) ?? fc.stringMatching(new RegExp(pattern))
  ofPattern.set(pattern, known)
  return known
}

const ofPattern = new Map<string, fc.Arbitrary<string>>()

const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]/u

const longest = 300
/** Several of them in one body must stay below the limit of a body. */
const longestFull = 50_000

function objectsOf(schema: JsonSchema, named: Schemas): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => [
    name,
    valuesOf(field, named),
  ])
  const record = fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: [...(schema.required ?? [])],
  })
  if (schema.additionalProperties === false) return record
  // SYS-G5: what an open object does not know, it ignores.
  const unknown = fc.constantFrom(undefined, undefined, null, 1, 'x', [1], { a: { b: 1 } })
  return fc
    .tuple(record, unknown)
    .map(([known, extra]) => (extra === undefined ? known : { ...known, fuzz_unknown: extra }))
}
