import { failed } from '../failure.ts'

type Json = Record<string, unknown>

/** The types that a schema takes, without references. */
export function typesOf(schema: Json): string[] {
  const cases = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
  if (cases) return [...new Set(cases.flatMap(typesOf))]
  if (Array.isArray(schema.enum))
    return [...new Set(schema.enum.map((each) => (each === null ? 'null' : typeof each)))]
  if (schema.const !== undefined) return [typeof schema.const]
  return Array.isArray(schema.type) ? (schema.type as string[]) : [String(schema.type ?? 'any')]
}

/** The case of a schema that is an array, if there is one. */
const arrayOf = (schema: Json): Json | undefined =>
  schema.type === 'array'
    ? schema
    : ((schema.anyOf ?? schema.oneOf ?? []) as Json[]).map(arrayOf).find(Boolean)

/**
 * The value that a word on the command line stands for. What does not fit any type stays text: then the contract says what
 * is wrong with it, in its own words.
 */
export function typedValue(name: string, text: string, schema: Json): unknown {
  const types = typesOf(schema)
  if (text === 'null' && types.includes('null')) return null
  if (types.includes('array')) return listOf(name, text, arrayOf(schema) ?? {})
  if ((types.includes('object') || types.includes('any')) && /^\s*[[{]/.test(text)) return jsonOf(name, text)
  const worker = types.includes('object') ? workerOf(text) : undefined
  if (worker) return worker
  if ((types.includes('integer') || types.includes('number')) && /^-?\d+(\.\d+)?$/.test(text))
    return Number(text)
  if (types.includes('boolean') && /^(true|false)$/.test(text)) return text === 'true'
  return text
}

/** `a,b` or a list in JSON. */
function listOf(name: string, text: string, schema: Json): unknown[] {
  if (/^\s*\[/.test(text)) return jsonOf(name, text) as unknown[]
  if (text === '') return []
  const items = (schema.items ?? {}) as Json
  return text.split(',').map((each) => typedValue(name, each.trim(), items))
}

export function jsonOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw failed(`${name}: is not JSON`)
  }
}

/** `agent:builder` and `member:12`, where a contract takes either as an object. */
function workerOf(text: string): Json | undefined {
  const [, kind, id] = /^(member|agent):(.+)$/.exec(text) ?? []
  return kind === undefined ? undefined : { kind, id }
}

/** What a flag takes, in a few words: its choices or its bounds, as the contract has them. */
export function wordsFor(schema: Json): string {
  const choices = choicesOf(schema)
  if (choices.length > 0) return choices.join(', ')
  const types = typesOf(schema).filter((type) => type !== 'null')
  const bounds = boundsOf(schema)
  const [type = 'any'] = types
  const words = types.length > 1 ? types.join(' or ') : type
  return `${words === 'any' ? 'JSON' : words}${bounds}`
}

export function choicesOf(schema: Json): string[] {
  const cases = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
  if (cases) {
    const named = cases.filter((each) => each.type !== 'null').map(choicesOf)
    return named.every((each) => each.length > 0) ? named.flat() : []
  }
  if (schema.type === 'array') return choicesOf((schema.items ?? {}) as Json)
  if (schema.const !== undefined) return [String(schema.const)]
  return Array.isArray(schema.enum) ? schema.enum.filter((each) => each !== null).map(String) : []
}

function boundsOf(schema: Json): string {
  const cases = ((schema.anyOf ?? schema.oneOf ?? []) as Json[]).filter((each) => each.type !== 'null')
  const of = cases.length === 1 ? (cases[0] ?? {}) : schema
  if (typeof of.minimum === 'number' && typeof of.maximum === 'number')
    return ` from ${of.minimum} to ${of.maximum}`
  if (typeof of.maxLength === 'number') return ` of at most ${of.maxLength} characters`
  if (typeof of.maxItems === 'number') return ` of at most ${of.maxItems}`
  return of.format === 'uuid' ? ' (UUID)' : ''
}

/** The longest text that it takes; nothing if it takes no text or names no bound. */
export function mostCharacters(schema: Json): number | undefined {
  const cases = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
  if (cases) return cases.map(mostCharacters).find((each) => each !== undefined)
  return typeof schema.maxLength === 'number' && typesOf(schema).includes('string')
    ? schema.maxLength
    : undefined
}
