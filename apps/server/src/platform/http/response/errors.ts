import { type Detail, Refusal } from '@crewhall/contracts/refusal.ts'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PlainAnswer } from '#platform/http/plain-route.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { CallerGone, Outage } from '#platform/outage/outage.ts'

export interface Told {
  readonly status: number
  readonly detail: Detail
  readonly headers?: Readonly<Record<string, string>>
}

/** Three kinds only: a refusal the caller can act on, an outage, and everything else, which is our bug. */
export function registerErrors(app: FastifyInstance, metrics: Metrics): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const told = tell(error, request, metrics)
    // Not there yet when the very first hook fails.
    const plain = (request.held as FastifyRequest['held'] | null)?.plain
    if (plain) sendPlain(reply.headers(told.headers ?? {}), plain.refuse(told))
    else void send(reply, told)
  })
}

/** What a caller is told of an error; everything else of it goes into the log. */
export function tell(
  error: unknown,
  request: { readonly id: string; readonly log: Log },
  metrics: Metrics,
): Told {
  if (error instanceof Refusal) return error
  if (error instanceof Outage) {
    if (error instanceof CallerGone) request.log.info({}, 'the caller has hung up')
    else {
      metrics.outages.inc({ part: error.part, reason: error.reason })
      request.log.warn({ error }, 'outage')
    }
    return { status: error.status, detail: error.detail, headers: { 'retry-after': '1' } }
  }
  request.log.error({ error }, 'unexpected error')
  return { status: 500, detail: `Internal error; the request id is ${request.id}` }
}

export function sendPlain(reply: FastifyReply, { status, type, body, headers = {} }: PlainAnswer): void {
  void reply
    .code(status)
    .headers({ ...headers, 'content-type': type })
    .send(body)
}

export function send(reply: FastifyReply, { status, detail, headers = {} }: Told): FastifyReply {
  return reply
    .code(status)
    .headers({ ...headers, 'content-type': 'application/json; charset=utf-8' })
    .serializer(JSON.stringify as (payload: unknown) => string)
    .send({ detail })
}
