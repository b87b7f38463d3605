import { openApiDocument } from '@crewhall/contracts/openapi.ts'
import type { AnyRoute } from '@crewhall/contracts/route.ts'
import fc from 'fast-check'
import { hostileBodies, hostileContentTypes, hostileJson, hostileTexts } from '../hostile/hostile-corpus.ts'
import { type JsonSchema, type Schemas, valuesOf } from './fuzz-schema.ts'

/** One request. Values of the path and the query are decoded here; the sender encodes them. */
export interface FuzzCase {
  /** `valid` obeys the contract and must not be refused as malformed; the others may be anything. */
  readonly kind: 'valid' | 'mutated' | 'hostile'
  readonly params: Readonly<Record<string, string>>
  readonly query: readonly (readonly [string, string])[]
  readonly content_type?: string
  readonly body?: string | Uint8Array
}

interface Shape {
  readonly params: Readonly<Record<string, JsonSchema>>
  readonly query: Readonly<Record<string, JsonSchema>>
  readonly required_query: readonly string[]
  readonly body: JsonSchema | undefined
  readonly named: Schemas
}

interface Operation {
  readonly parameters?: readonly { name: string; in: string; required: boolean; schema: JsonSchema }[]
  readonly requestBody?: { content: Record<string, { schema: JsonSchema }> }
}

/** What a caller reads in the document about a route, and nothing that only the server knows. */
const shapeOf = oncePerRoute((route): Shape => {
  const document = openApiDocument([route], { title: 'fuzz', version: '0.0.0', description: '' })
  const paths = document.paths as Record<string, Record<string, Operation>>
  const { parameters = [], requestBody } = paths[route.path]?.[route.method.toLowerCase()] ?? {}
  const inPlace = (place: string) => parameters.filter((each) => each.in === place)
  const schemas = (place: string) =>
    Object.fromEntries(inPlace(place).map(({ name, schema }) => [name, schema]))
  return {
    params: schemas('path'),
    query: schemas('query'),
    required_query: inPlace('query').flatMap(({ name, required }) => (required ? [name] : [])),
    body: requestBody?.content['application/json']?.schema,
    named: (document.components as { schemas: Schemas }).schemas,
  }
})

function oncePerRoute<T>(make: (route: AnyRoute) => T): (route: AnyRoute) => T {
  const made = new WeakMap<AnyRoute, T>()
  return (route) => {
    const known = made.get(route) ?? make(route)
    made.set(route, known)
    return known
  }
}

const json = 'application/json'

/** Requests that obey the contract. */
export const validCases = oncePerRoute((route): fc.Arbitrary<FuzzCase> => {
  const { params, query, required_query, body, named } = shapeOf(route)
  const texts = (schemas: Readonly<Record<string, JsonSchema>>) =>
    Object.fromEntries(
      Object.entries(schemas).map(([name, schema]) => [name, valuesOf(schema, named).map(String)]),
    )
  return fc
    .record({
      params: fc.record(texts(params)),
      query: fc.record(texts(query), { requiredKeys: [...required_query] }),
      body: body ? valuesOf(body, named) : fc.constant(undefined),
      file: fc.uint8Array({ maxLength: 2000 }),
    })
    .map((made) => ({
      kind: 'valid' as const,
      params: made.params,
      query: Object.entries(made.query).filter(([, value]) => value !== undefined),
      ...(body ? { content_type: json, body: JSON.stringify(made.body) } : {}),
      ...(route.upload ? form(route.upload.field, made.file) : {}),
    }))
})

/** Valid requests with one place made wrong. */
function mutatedCases(route: AnyRoute): fc.Arbitrary<FuzzCase> {
  const { params, query, body } = shapeOf(route)
  const text = fc.oneof(fc.constantFrom(...hostileTexts), fc.string({ unit: 'binary', maxLength: 40 }))
  const value = fc.oneof(fc.constantFrom(...hostileJson), fc.json({ maxDepth: 3 }))
  const places = [
    ...Object.keys(params).map((name) => text.map((to) => (from: FuzzCase) => withParam(from, name, to))),
    ...Object.keys(query).map((name) => text.map((to) => (from: FuzzCase) => withQuery(from, name, to))),
    text.map((to) => (from: FuzzCase) => withQuery(from, to, to)),
    ...(body
      ? fieldsOf(body).map((name) => value.map((to) => (from: FuzzCase) => withField(from, name, to)))
      : []),
    ...(route.upload
      ? [text.map((to) => (from: FuzzCase) => ({ ...from, ...form(to, new Uint8Array(3), to) }))]
      : []),
  ]
  return fc
    .tuple(validCases(route), fc.oneof(...places))
    .map(([from, change]) => ({ ...change(from), kind: 'mutated' as const }))
}

/** Every value of the fixed corpus in every place of a route. */
export const corpusCases = oncePerRoute((route): readonly FuzzCase[] => {
  const { params, query, body } = shapeOf(route)
  // The smallest of several: every case carries it, and one of a megabyte is refused before its hostile value is read.
  const [base] = fc.sample(validCases(route), { numRuns: 30, seed: 1 }).sort((a, b) => sizeOf(a) - sizeOf(b))
  if (!base) return []
  const made = [
    ...Object.keys(params).flatMap((name) => hostileTexts.map((text) => withParam(base, name, text))),
    ...[...Object.keys(query), 'fuzz_unknown'].flatMap((name) =>
      hostileTexts.flatMap((text) => [
        withQuery(base, name, text),
        { ...base, query: [[name, text] as const, [name, text] as const] },
      ]),
    ),
    ...(body
      ? fieldsOf(body).flatMap((name) => hostileJson.map((value) => withField(base, name, value)))
      : []),
    ...hostileBodies.map((bytes) => ({ ...base, content_type: json, body: bytes })),
    ...hostileContentTypes.map((type) => ({ ...base, content_type: type, body: base.body ?? '{}' })),
    ...(route.upload
      ? hostileTexts.map((text) => ({ ...base, ...form(route.upload?.field ?? '', new Uint8Array(3), text) }))
      : []),
  ]
  return made.map((each) => ({ ...each, kind: 'hostile' as const }))
})

const sizeOf = ({ body, query }: FuzzCase): number => (body?.length ?? 0) + query.length

export const fuzzCases = (route: AnyRoute): fc.Arbitrary<FuzzCase> =>
  fc.oneof(
    { weight: 2, arbitrary: validCases(route) },
    { weight: 2, arbitrary: mutatedCases(route) },
    { weight: 1, arbitrary: fc.constantFrom(...corpusCases(route)) },
  )

const fieldsOf = (body: JsonSchema): string[] => [...Object.keys(body.properties ?? {}), 'fuzz_unknown']

const withParam = (from: FuzzCase, name: string, text: string): FuzzCase => ({
  ...from,
  params: { ...from.params, [name]: text },
})

const withQuery = (from: FuzzCase, name: string, text: string): FuzzCase => ({
  ...from,
  query: [...from.query.filter(([other]) => other !== name), [name, text]],
})

/** Puts the text of a JSON value into a body as it is: a serialiser would turn `1e400` into `null`. */
function withField(from: FuzzCase, name: string, value: string): FuzzCase {
  const { [name]: _, ...others } = JSON.parse(String(from.body)) as Record<string, unknown>
  const rest = JSON.stringify(others).slice(1, -1)
  return { ...from, body: `{${JSON.stringify(name)}:${value}${rest ? `,${rest}` : ''}}` }
}

function form(field: string, bytes: Uint8Array, filename = 'a.bin'): Pick<FuzzCase, 'content_type' | 'body'> {
  const quoted = (text: string) => text.replace(/[\r\n"]/g, '_')
  const head = `--fuzz\r\nContent-Disposition: form-data; name="${quoted(field)}"; filename="${quoted(filename)}"\r\n\r\n`
  const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--fuzz--\r\n')])
  return { content_type: 'multipart/form-data; boundary=fuzz', body }
}
