import { z } from 'zod'
import { answerHeaders, headersOfAnswer, isStreamed, isTaggedRead } from './answer-headers.ts'
import { mediaTypesOf, nothing } from './bytes.ts'
import { callersOf, curlOf } from './code-sample.ts'
import { databaseHandles } from './database-handles.ts'
import { families } from './introduction.ts'
import * as refused from './refusal.ts'
import { type AnyRoute, formatsOf, isSignedByDesk, takesDryRun, takesKey } from './route.ts'
import { keptSecretsOf } from './secret-fields.ts'
import { ErrorBody } from './wire.ts'

type Json = Record<string, unknown>

export interface OpenApiInfo {
  readonly title: string
  readonly version: string
  readonly description: string
}

/** Statuses that any route may return besides its own, so that every response is documented. */
const everywhere: ReadonlyMap<number, string> = new Map([
  [431, 'The URL or the headers are too long'],
  [500, 'Internal error; the detail contains the request id'],
  [503, 'A dependency is unavailable, or the service is shedding load'],
])

export function openApiDocument(routes: readonly AnyRoute[], info: OpenApiInfo): Json {
  const schemas: Json = {}
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const [secret] = keptSecretsOf(route)
    if (secret) throw new Error(`${route.id}: the answer holds ${secret}, so the contract needs tells_once`)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: { ...info, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    tags: tagsOf(routes),
    paths,
    components: {
      schemas,
      headers: Object.fromEntries(
        Object.entries(answerHeaders).map(([name, description]) => [
          name,
          { description, schema: { type: 'string' } },
        ]),
      ),
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'Personal access token of one workspace' },
        session: { type: 'apiKey', in: 'cookie', name: 'crewhall_session' },
        admin_key: { type: 'apiKey', in: 'header', name: 'X-Admin-Key' },
        join_secret: { type: 'http', scheme: 'bearer', description: 'Token of an install command' },
        desk_signature: {
          type: 'apiKey',
          in: 'header',
          name: 'Signature',
          description:
            'Ed25519 by the key of a desk, over method, path, digest, time and sequence (RFC 9421)',
        },
      },
    },
  }
}

function operation(route: AnyRoute, schemas: Json): Json {
  const parameters = [
    ...parametersOf(route, 'path', schemas),
    ...parametersOf(route, 'query', schemas),
    ...headersOf(route),
  ]
  return {
    operationId: route.id,
    tags: [tagOf(route)],
    summary: route.summary,
    description: [route.description, `**Who may call:** ${callersOf(route)}`].filter(Boolean).join('\n\n'),
    'x-codeSamples': [{ lang: 'shell', label: 'curl', source: curlOf(route) }],
    security: securityOf(route),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBodyOf(route, schemas),
    responses: responsesOf(route, schemas),
  }
}

function tagsOf(routes: readonly AnyRoute[]): Json[] {
  const names = new Set(routes.map(tagOf))
  const known = Object.entries(families).filter(([name]) => names.has(name))
  const others = [...names].filter((name) => !(name in families))
  return [...known.map(([name, description]) => ({ name, description })), ...others.map((name) => ({ name }))]
}

const tagOf = (route: AnyRoute): string => route.id.slice(0, route.id.indexOf('.'))

function securityOf(route: AnyRoute): Json[] {
  switch (route.auth.kind) {
    case 'nobody':
      return route.auth.session ? [{}, { session: [] }] : []
    case 'token':
      return [{ token: [...route.auth.scopes] }, { session: [] }]
    case 'session':
      return [{ session: [] }]
    case 'person':
      return route.auth.credential === 'session' ? [{ session: [] }] : [{ token: [] }, { session: [] }]
    case 'platform_admin':
    case 'session_or_admin':
      return [{ admin_key: [] }, { session: [] }]
    case 'desk':
      return [deskSecurity[route.auth.credential]]
  }
}

const deskSecurity = {
  join_secret: { join_secret: [] },
  join_secret_and_key: { join_secret: [], desk_signature: [] },
  key: { desk_signature: [] },
}

function parametersOf(route: AnyRoute, place: 'path' | 'query', schemas: Json): Json[] {
  const schema = place === 'path' ? route.params : route.query
  const fields = schema ? toSchema(schema, schemas, 'input') : {}
  const required = (fields.required ?? []) as string[]
  const listed = Object.entries((fields.properties ?? {}) as Json).map(([name, field]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: field,
    ...exampleOf(place === 'query' ? route.example?.query?.[name] : undefined),
    ...tenantResource(route, place === 'path' ? name : `query.${name}`),
  }))
  if (place === 'query' && route.formats) {
    listed.push({ name: 'format', in: place, required: false, schema: { enum: route.formats.accepts } })
  }
  if (place === 'query' && takesDryRun(route)) {
    listed.push({ name: 'dry_run', in: place, required: false, schema: { enum: ['true', 'false'] } })
  }
  return listed
}

function headersOf(route: AnyRoute): Json[] {
  const header = (name: string, description: string, pattern?: string) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', ...(pattern === undefined ? {} : { pattern }) },
  })
  return [
    ...(takesKey(route)
      ? [
          header(
            'Idempotency-Key',
            `For 24 hours, repeating the request with the same key returns the first response without running it again${
              route.auth.kind === 'session_or_admin' ? '; ignored on the admin path' : ''
            }`,
            '^[!-~]{1,255}$',
          ),
        ]
      : []),
    ...(route.versioned ? [header('If-Match', 'Refused with 412 unless the resource has this version')] : []),
    ...(isTaggedRead(route) ? [header('If-None-Match', 'Returns 304 if nothing has changed')] : []),
    ...(route.auth.kind === 'nobody' && route.auth.signed
      ? [
          header('X-Hub-Signature-256', '`sha256=` and the HMAC-SHA256 of the body in hexadecimal digits'),
          header('X-Gitlab-Token', 'The secret itself, from senders that do not sign'),
        ]
      : []),
    ...(isSignedByDesk(route)
      ? [
          header('Content-Digest', '`sha-256=:` and the SHA-256 of the body in base64, then `:` (RFC 9530)'),
          header('Signature-Input', 'What is signed, when, by which key and with which sequence (RFC 9421)'),
        ]
      : []),
    ...(isStreamed(route)
      ? [header('Last-Event-ID', 'The id of the last event received; the stream resumes after it')]
      : []),
  ]
}

/** The kind of tenant resource that a parameter names, for tools that test isolation. */
function tenantResource({ resources }: AnyRoute, name: string): Json {
  const resource = resources?.[name]
  return resource === undefined ? {} : { 'x-tenant-resource': resource }
}

/** Also inside lists, and in each case of a union. */
function markFields(schema: Json, [name = '', ...deeper]: readonly string[], mark: Json): void {
  const inside = [schema.items, schema.anyOf, schema.oneOf].flat().filter((each) => each !== undefined)
  for (const each of inside as Json[]) markFields(each, [name, ...deeper], mark)
  const field = (schema.properties as Record<string, Json> | undefined)?.[name]
  if (!field) return
  if (deeper.length === 0) Object.assign(field, mark)
  else markFields(field, deeper, mark)
}

function requestBodyOf(route: AnyRoute, schemas: Json): Json {
  if (route.upload) {
    const file = { type: 'string', contentMediaType: 'application/octet-stream' }
    const schema = {
      type: 'object',
      required: [route.upload.field],
      properties: { [route.upload.field]: file },
    }
    return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } }
  }
  if (!route.body) return {}
  const own = toSchema(route.body, schemas, 'input')
  const schema = route.admin_body
    ? {
        anyOf: [
          { title: 'With a session', ...own },
          { title: 'As a platform admin', ...toSchema(route.admin_body, schemas, 'input') },
        ],
      }
    : own
  for (const name of Object.keys(route.resources ?? {})) {
    const [place, ...fields] = name.split('.')
    if (place === 'body') markFields(schema, fields, tenantResource(route, name))
  }
  const required = !route.body.safeParse(undefined).success
  const content = { 'application/json': { schema, ...exampleOf(route.example?.body) } }
  return { requestBody: { required, content } }
}

function responsesOf(route: AnyRoute, schemas: Json): Json {
  const answers: Json = {}
  const refusals = refusalsOf(route)
  for (const [status, texts] of refusals) {
    const schema = toSchema(ErrorBody, schemas, 'output')
    answers[status] = { description: listed(texts), content: { 'application/json': { schema } } }
  }
  for (const [status, schema] of Object.entries(route.responses)) {
    const types = mediaTypesOf(schema)
    if (schema === nothing) {
      answers[status] = { description: 'Done; no content' }
      continue
    }
    if (types) {
      // In OpenAPI 3.1, binary content has a media type and no schema.
      const content = Object.fromEntries(types.map((type) => [type, {}]))
      answers[status] = { description: schema.description ?? 'Done', content }
      if (!isStreamed(route)) answers[304] = { description: 'Not modified: matches If-None-Match' }
      continue
    }
    const json = { schema: toSchema(schema, schemas, 'output') }
    const content = Object.fromEntries(formatsOf(route).map((f) => [mediaTypes[f], json]))
    if (isTaggedRead(route)) answers[304] = { description: 'Not modified: matches If-None-Match' }
    answers[status] = {
      description: Number(status) < 400 ? 'Done' : 'The same object with this status',
      content,
    }
  }
  for (const [status, answer] of Object.entries(answers)) {
    const names = headersOfAnswer(route, Number(status))
    if (names.length === 0) continue
    Object.assign(answer as Json, {
      headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    })
  }
  return answers
}

const exampleOf = (example: unknown): Json => (example === undefined ? {} : { example })

/** As Markdown, where a name in angle brackets would disappear. */
function listed(texts: readonly string[]): string {
  const plain = texts.map((text) => text.replaceAll(/[<*]/g, String.raw`\$&`))
  return plain.length === 1 ? plain.join('') : plain.map((text) => `- ${text}`).join('\n')
}

export const mediaTypes = {
  json: 'application/json',
  yaml: 'application/yaml',
  md: 'text/markdown',
} as const

/** Reasons by status: those of the contract, and those that shared layers add to every route of its kind. */
export function refusalsOf(route: AnyRoute): Map<number, string[]> {
  const found = new Map<number, string[]>()
  const add = (status: number, text: string) =>
    found.set(status, [...new Set([...(found.get(status) ?? []), text])])
  for (const kind of route.refusals ?? []) add(kind.status, kind.text)
  if (route.params) add(route.missing?.status ?? 404, route.missing?.text ?? 'Not found')
  const takesBody = route.method !== 'GET'
  if (takesBody || route.query || route.formats) add(route.invalid ?? 422, 'The request is malformed')
  if (takesBody) add(413, 'Request body is too large')
  if (route.auth.kind !== 'nobody') {
    add(401, 'The credential is missing or not valid')
    add(403, 'The caller lacks a scope or a role')
  }
  if (takesKey(route)) {
    for (const { status, text } of [refused.keyReused, refused.keyInUse]) add(status, text)
    const { status, text } = route.versioned ? refused.versionUnmet : refused.noVersion
    add(status, text)
  }
  if (takesKey(route) && route.tells_once) add(refused.toldOnce.status, refused.toldOnce.text)
  if (route.database)
    for (const { status, text } of Object.values(databaseHandles[route.database])) add(status, text)
  if (!route.unlimited) add(429, 'Too many requests')
  for (const [status, text] of everywhere) if (!(status in route.responses)) add(status, text)
  return found
}

/** JSON Schema of a Zod schema; named parts move to `components.schemas`. */
function toSchema(schema: z.ZodType, schemas: Json, io: 'input' | 'output'): Json {
  const {
    $schema: _,
    $defs,
    ...rest
  } = z.toJSONSchema(schema, {
    io,
    reused: 'inline',
    unrepresentable: 'any',
    override: ({ jsonSchema, zodSchema }) => {
      const meta = z.globalRegistry.get(zodSchema)?.override as Json | undefined
      if (meta) {
        delete jsonSchema.override
        Object.assign(jsonSchema, meta)
        if (meta.type !== 'string') delete jsonSchema.pattern
      }
      // The bounds of JavaScript numbers are not a rule of the interface.
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  }) as Json & { $defs?: Json }
  for (const [id, part] of Object.entries($defs ?? {})) schemas[id] = moved(part)
  const id = rest.id
  if (typeof id === 'string') {
    schemas[id] = moved(rest)
    return { $ref: `#/components/schemas/${id}` }
  }
  return moved(rest)
}

function moved(part: unknown): Json {
  const text = JSON.stringify(part).replaceAll('"#/$defs/', '"#/components/schemas/')
  const { id: _, ...schema } = JSON.parse(text) as Json
  return schema
}
