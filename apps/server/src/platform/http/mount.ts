import { mediaTypesOf } from '@crewhall/contracts/bytes.ts'
import { Refusal } from '@crewhall/contracts/refusal.ts'
import { type AnyRoute, successStatus } from '@crewhall/contracts/route.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type CtxParts, systemCtx } from '#platform/ctx/ctx.ts'
import { StaleCaller } from '#platform/db/stale-caller.ts'
import { Answer } from '#platform/http/answer.ts'
import { clientNetwork } from '#platform/http/client-network.ts'
import type { Deadlines } from '#platform/http/deadlines.ts'
import { FileAnswer } from '#platform/http/file-answer.ts'
import { formatOf, render } from '#platform/http/format.ts'
import type { Authenticator, MountedRoute } from '#platform/http/handle.ts'
import { readUpload, uploadSlackBytes } from '#platform/http/multipart.ts'
import { fastifyPath } from '#platform/http/paths.ts'
import { validate } from '#platform/http/validate.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    spec?: AnyRoute
  }
}

export interface MountOptions {
  readonly ctx: CtxParts
  readonly authenticate: Authenticator | undefined
  readonly deadline_ms: number
  readonly deadlines: Deadlines
  /** Whether the process is on its way out. */
  isClosing(): boolean
  /** Check answers against the contract as well; on in tests and development. */
  readonly check_answers: boolean
}

const nobody = { kind: 'nobody' } as const

/** Five megabytes over a slow line take their time, and they arrive while the handler waits. */
const uploadDeadlineMs = 30_000

export function mount(app: FastifyInstance, route: MountedRoute, options: MountOptions): void {
  const { spec } = route
  const limitMs = spec.deadline_ms ?? (spec.upload ? uploadDeadlineMs : options.deadline_ms)
  const success = successStatus(spec)
  if (spec.auth.kind !== 'nobody' && !options.authenticate) {
    throw new Error(`${spec.id} asks for a credential, and no authenticator is configured`)
  }
  app.route({
    method: spec.method,
    url: fastifyPath(spec.path),
    config: { spec },
    ...(spec.upload ? { bodyLimit: spec.upload.max_bytes + uploadSlackBytes } : {}),
    schema: { response: responseSchemas(spec) },
    handler: (request, reply) =>
      options.deadlines.within(limitMs, answer(route, success, request, reply, options)),
  })
}

async function answer(
  route: MountedRoute,
  success: number,
  request: FastifyRequest,
  reply: FastifyReply,
  options: MountOptions,
) {
  const { format, result } = await perform(route, request, options, false).catch((error: unknown) => {
    // A remembered caller is refused at its first statement, before anything was done: start over.
    if (error instanceof StaleCaller) return perform(route, request, options, true)
    throw error
  })
  if (result instanceof FileAnswer) return sendFile(route.spec, success, result, request, reply, options)
  const { status, body, headers } = result instanceof Answer ? result : new Answer(success, result)
  if (options.check_answers) checkAnswer(route.spec, status, body)
  reply.code(status).headers(headers)
  // An answer that was due when the process was told to stop asks its caller for a new connection.
  if (options.isClosing()) reply.header('connection', 'close')
  if (format === 'json') return route.reuses ? sendReused(reply, status, body) : body
  const { content_type, text } = render(format, body)
  return reply.header('content-type', content_type).serializer(asIs).send(text)
}

async function sendFile(
  spec: AnyRoute,
  status: number,
  file: FileAnswer,
  request: FastifyRequest,
  reply: FastifyReply,
  options: MountOptions,
) {
  if (options.check_answers) checkFile(spec, status, file)
  if (options.isClosing()) reply.header('connection', 'close')
  if (file.isKnown(request.headers['if-none-match'])) {
    const { 'content-type': _, ...headers } = file.headers
    return reply.code(304).headers(headers).send()
  }
  const bytes = await file.facts.load()
  return reply
    .code(status)
    .headers(file.headers)
    .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
}

/** The order is published and tested: who calls comes before what was written wrongly. */
async function perform(
  { spec, run }: MountedRoute,
  request: FastifyRequest,
  options: MountOptions,
  fresh: boolean,
) {
  const base = systemCtx(options.ctx, request.log, nobody, request.id)
  const ctx = options.authenticate
    ? await options.authenticate.authenticate(spec, request, base, fresh)
    : base
  try {
    const input = validate(spec, request)
    const format = formatOf(spec, request.query)
    // A body can be read once only, so nobody's is read before they are let in for certain.
    if (spec.upload && ctx.kind === 'brand') await ctx.confirm()
    const file = spec.upload ? await readUpload(spec, spec.upload, request) : undefined
    const result = await run(ctx, { ...input, file: file as undefined, network: clientNetwork(request.ip) })
    if (ctx.kind === 'brand') await ctx.confirm()
    return { format, result }
  } catch (error) {
    // Nobody is told what is wrong with a request before they are let in for certain (AUTH-G14).
    if (ctx.kind === 'brand' && error instanceof Refusal) await ctx.confirm()
    throw error
  }
}

const asIs = (text: unknown): string => String(text)

/** By the object that was answered; an entry goes when nobody holds that object any more. */
const madeBefore = new WeakMap<object, string>()

function sendReused(reply: FastifyReply, status: number, body: unknown) {
  if (typeof body !== 'object' || body === null) return body
  let text = madeBefore.get(body)
  if (text === undefined) {
    text = String(reply.serializeInput(body as Record<string, unknown>, String(status)))
    madeBefore.set(body, text)
  }
  // A text goes out in one piece with the headers; bytes would take a second write.
  return reply.type('application/json; charset=utf-8').serializer(asIs).send(text)
}

/** The shape of the answer is fixed by the contract: a column that is not listed there cannot leak. */
function responseSchemas(spec: AnyRoute): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(spec.responses).flatMap(([status, schema]) => {
      if (mediaTypesOf(schema)) return []
      const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' })
      return [[status, withoutIds(json)]]
    }),
  )
}

/** Names belong to the document; the serialiser would take them for references. */
function withoutIds(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json), function drop(this: unknown, key: string, value: unknown) {
    return key === 'id' && typeof value === 'string' ? undefined : value
  })
}

function checkAnswer(spec: AnyRoute, status: number, body: unknown): void {
  const schema = spec.responses[status]
  if (!schema) throw new Error(`${spec.id} answered ${status}, which its contract does not list`)
  const result = schema.safeParse(body)
  if (!result.success) throw new Error(`${spec.id} broke its contract: ${z.prettifyError(result.error)}`)
}

function checkFile(spec: AnyRoute, status: number, { facts }: FileAnswer): void {
  const schema = spec.responses[status]
  if (!(schema && mediaTypesOf(schema)?.includes(facts.content_type.split(';', 1)[0] ?? '')))
    throw new Error(`${spec.id} answered ${facts.content_type}, which its contract does not list`)
}
