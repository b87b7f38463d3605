import type { OutgoingHttpHeaders } from 'node:http'
import { Refusal, refusal, tooManyStreams, tooManyWorkspaceStreams } from '@crewhall/contracts/refusal.ts'
import type { AnyRoute } from '@crewhall/contracts/route.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Bound } from '#platform/bulkheads/bound.ts'
import type { Actor } from '#platform/ctx/actor.ts'
import { type BrandCtx, type CtxParts, systemCtx } from '#platform/ctx/ctx.ts'
import { StaleCaller } from '#platform/db/stale-caller.ts'
import { EventStream, type EventStreamAnswer } from '#platform/http/event-stream.ts'
import type { Authenticator } from '#platform/http/handle.ts'
import { Outage } from '#platform/outage/outage.ts'

export interface EventStreamsOptions {
  readonly ctx: CtxParts
  readonly authenticate: Authenticator | undefined
  readonly max_streams: number
  readonly max_streams_per_workspace: number
  readonly max_streams_per_caller: number
}

const anotherWorkspace = refusal(403, 'The caller acts for another workspace now')

/** Of all streams of a process, the part that is kept for workspaces without any. */
const keptFree = 0.2

const keepaliveMs = 15_000
const stallMs = 30_000
const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  // nginx would collect events until a page of them is full.
  'x-accel-buffering': 'no',
  // Nothing else follows on this line, so that it ends with the stream when the process is told to stop.
  connection: 'close',
}

/** The streams of this process. They do no work while nothing happens, so they have limits of their own. */
export class EventStreams {
  readonly #options: EventStreamsOptions
  /** By whom, as limits count them. */
  readonly #open = new Map<EventStream, string>()
  readonly #places: Bound
  #isClosed = false

  constructor(options: EventStreamsOptions) {
    this.#options = options
    const { max_streams: places } = options
    this.#places = new Bound({ places, kept_free: Math.floor(places * keptFree) })
  }

  get count(): number {
    return this.#open.size
  }

  /** Begins to answer, and returns at once. */
  open({ ctx, run }: EventStreamAnswer, spec: AnyRoute, request: FastifyRequest, reply: FastifyReply): void {
    // The deadline has answered already.
    if (reply.sent) return
    if (request.method === 'HEAD') {
      reply.headers(headers).send()
      return
    }
    const [caller, workspace] = [callerOf(ctx.actor), String(ctx.brandId)]
    this.#refuseTooMany(caller, workspace)
    reply.hijack()
    const { raw } = reply
    const stream = new EventStream(raw, {
      last_event_id: textOrNothing(request.headers['last-event-id']),
      keepalive_ms: keepaliveMs,
      stall_ms: stallMs,
      admit: () => this.#admit(ctx.brandId, spec, request),
    })
    this.#open.set(stream, caller)
    this.#places.take(workspace)
    raw.once('close', () => {
      this.#open.delete(stream)
      this.#places.leave(workspace)
    })
    raw.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...headers })
    run(stream)
      .catch((error: unknown) => {
        if (error instanceof Refusal) request.log.info({ detail: error.detail }, 'a stream lost its caller')
        else request.log.error({ error }, 'unexpected error in a stream')
      })
      .finally(() => stream.end())
  }

  /** Callers come back at once, to another process. */
  close(): void {
    this.#isClosed = true
    for (const stream of this.#open.keys()) stream.end()
  }

  #refuseTooMany(caller: string, workspace: string): void {
    const { max_streams_per_workspace, max_streams_per_caller } = this.#options
    if (this.#places.heldBy(workspace) >= max_streams_per_workspace) throw tooManyWorkspaceStreams()
    if (this.#isClosed || !this.#places.admits(workspace)) throw new Outage('service', 'overloaded')
    let own = 0
    for (const each of this.#open.values()) if (each === caller) own += 1
    if (own >= max_streams_per_caller) throw tooManyStreams()
  }

  /** As at the start of a request: what is remembered of the caller is confirmed, or looked up anew. */
  async #admit(brandId: number, spec: AnyRoute, request: FastifyRequest): Promise<BrandCtx> {
    const base = systemCtx(this.#options.ctx, request.log, { kind: 'nobody' }, request.id)
    const find = async (fresh: boolean): Promise<BrandCtx> => {
      const ctx = await this.#options.authenticate?.authenticate(spec, request, base, fresh)
      // Sessions change workspaces; what was asked for belongs to the first one.
      if (ctx?.kind !== 'brand' || ctx.brandId !== brandId) throw anotherWorkspace()
      return ctx
    }
    const ctx = await find(false)
    try {
      await ctx.confirm()
      return ctx
    } catch (error) {
      if (error instanceof StaleCaller) return find(true)
      throw error
    }
  }
}

const callerOf = (actor: Actor): string =>
  actor.kind === 'person' ? `${actor.credential}:${actor.credential_id}` : actor.kind

const textOrNothing = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
