import { mediaTypesOf, nothing } from '@crewhall/contracts/bytes.ts'
import { type AnyRoute, type Format, successStatus } from '@crewhall/contracts/route.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { Answer } from '#platform/http/answer.ts'
import { entityTagOf, isKnownTag, namesTag } from '#platform/http/entity-tag.ts'
import { EventStreamAnswer } from '#platform/http/event-stream.ts'
import { FileAnswer } from '#platform/http/file-answer.ts'
import type { MountedRoute } from '#platform/http/handle.ts'
import type { ClientBounds } from '#platform/http/limits/client-bounds.ts'
import type { RateLimits } from '#platform/http/limits/rate-limits.ts'
import { ListAnswer, textOfList } from '#platform/http/list-answer.ts'
import type { EventStreams } from '#platform/http/response/event-streams.ts'
import { render } from '#platform/http/response/format.ts'
import { pageLinks } from '#platform/http/response/page-links.ts'
import { serializerOf } from '#platform/http/response/serializers.ts'
import type { Performed } from '#platform/http/serving/perform.ts'

export interface SendOptions {
  readonly rate_limits: RateLimits
  readonly streams: EventStreams
  readonly bounds: ClientBounds
  /** Whether the process is on its way out. */
  isClosing(): boolean
  /** Check answers against the contract as well; on in tests and development. */
  readonly check_answers: boolean
}

/** Returns a promise only where something is read first. Never a reply: it is a promise of its own kind. */
export function sendAnswer(
  route: MountedRoute,
  done: Performed,
  request: FastifyRequest,
  reply: FastifyReply,
  options: SendOptions,
): Promise<void> | undefined {
  const { spec } = route
  const { format, result } = done
  // An answer that was due when the process was told to stop asks its caller for a new connection.
  if (options.isClosing()) reply.header('connection', 'close')
  if (result instanceof EventStreamAnswer) {
    options.bounds.leave(request.held)
    options.streams.open(result, spec, request, reply)
    return undefined
  }
  if (result instanceof FileAnswer) return sendFile(spec, result, request, reply, options)
  // Too late: the deadline has answered.
  if (reply.sent) return undefined
  if (result instanceof ListAnswer) return sendList(route, result, done, request, reply, options)
  const { status, body, headers } = result instanceof Answer ? result : new Answer(route.success, result)
  if (options.check_answers) checkAnswer(spec, status, body)
  reply.code(status).headers(headers).headers(done.headers)
  if (spec.responses[status] === nothing) {
    reply.send()
    return undefined
  }
  if (spec.method !== 'GET' && !spec.versioned && format === 'json')
    reply
      .header('content-type', jsonType)
      .serializer(asIs)
      .send(serializerOf(spec, status, reply)(body))
  else sendText(spec, textOf(route, reply, status, format, body), body, done, request, reply, options)
  return undefined
}

function sendText(
  spec: AnyRoute,
  { text, content_type, tag }: Text,
  body: unknown,
  done: Performed,
  request: FastifyRequest,
  reply: FastifyReply,
  options: SendOptions,
): void {
  if (options.check_answers && text.length > longestText)
    throw new Error(`${spec.id} held an answer of ${text.length} characters; answer with a ListAnswer`)
  if (tag !== undefined) reply.header('etag', tag)
  if (spec.method === 'GET') {
    const links = pageLinks(spec, request.url, body)
    if (links !== undefined) reply.header('link', links)
    if (tag !== undefined && isKnownTag(request.headers['if-none-match'], tag)) {
      // Whoever asks with `*` knows nothing yet, and has the work done for nothing.
      if (namesTag(request.headers['if-none-match'], tag)) options.rate_limits.refund(done.ctx, reply)
      reply.code(304).send()
      return
    }
  }
  reply.header('content-type', content_type).serializer(asIs).send(text)
}

/** A list that turns out to be short is answered like any other. A long one has no tag: that would take all of it. */
async function sendList(
  { spec, success }: MountedRoute,
  { list }: ListAnswer,
  done: Performed,
  request: FastifyRequest,
  reply: FastifyReply,
  options: SendOptions,
): Promise<void> {
  if (!spec.is_long) throw new Error(`${spec.id} answers in batches, which its contract does not tell`)
  const text = await textOfList(list, (body) => {
    if (options.check_answers) checkAnswer(spec, success, body)
    return serializerOf(spec, success, reply)(body)
  })
  if (reply.sent) return
  if (typeof text === 'string') {
    const made = { text, content_type: jsonType, tag: tagOf(spec, text, list.head) }
    return sendText(spec, made, list.head, done, request, reply, options)
  }
  const links = pageLinks(spec, request.url, list.head)
  if (links !== undefined) reply.header('link', links)
  reply.header('content-type', jsonType).send(text)
}

/** An answer in one piece may be so long; what its contract lets grow beyond is read and sent in batches. */
const longestText = 4 * 1024 * 1024
export const jsonType = 'application/json; charset=utf-8'

/** Everything that needs a credential and is read; of writes, what shows a version that the next one may name. */
const isTagged = ({ method, auth }: AnyRoute, body: unknown): boolean =>
  method === 'GET'
    ? auth.kind !== 'nobody'
    : Number.isInteger((body as { version?: unknown } | null)?.version)

/** Digests are made only of what is sent with one. */
const tagOf = (spec: AnyRoute, text: string, body: unknown): string | undefined =>
  isTagged(spec, body) ? entityTagOf(text, body) : undefined

async function sendFile(
  spec: AnyRoute,
  file: FileAnswer,
  request: FastifyRequest,
  reply: FastifyReply,
  { check_answers }: SendOptions,
): Promise<void> {
  const status = successStatus(spec)
  const { load, size, discard } = file.facts
  if (check_answers) checkFile(spec, status, file)
  if (isKnownTag(request.headers['if-none-match'], file.etag)) {
    const { 'content-type': _, ...headers } = file.headers
    await discard?.()
    reply.code(304).headers(headers).send()
    return
  }
  // Too late: the caller has been told to come again.
  if (reply.sent) return discard?.()
  const bytes = await load()
  reply.code(status).headers(file.headers)
  if (bytes instanceof Uint8Array) {
    reply.send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
    return
  }
  if (size !== undefined) reply.header('content-length', size)
  reply.send(bytes)
}

const asIs = (text: unknown): string => String(text)

interface Text {
  /** A text goes out in one piece with the headers; bytes would take a second write. */
  readonly text: string
  readonly content_type: string
  readonly tag: string | undefined
}

/** By the object that was answered; an entry goes when nobody holds that object any more. */
const madeBefore = new WeakMap<object, Text>()

function textOf(
  { spec, reuses }: MountedRoute,
  reply: FastifyReply,
  status: number,
  format: Format,
  body: unknown,
): Text {
  if (format !== 'json') {
    const rendered = render(format, body, spec.formats?.md)
    return { ...rendered, tag: tagOf(spec, rendered.text, body) }
  }
  const kept = reuses ? madeBefore.get(body as object) : undefined
  if (kept) return kept
  const text = serializerOf(spec, status, reply)(body)
  const made = { text, content_type: jsonType, tag: tagOf(spec, text, body) }
  if (reuses && typeof body === 'object' && body !== null) madeBefore.set(body, made)
  return made
}

export function checkAnswer(spec: AnyRoute, status: number, body: unknown): void {
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
