import type { AnyRoute, Auth } from '@crewhall/contracts/route.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Life } from '#platform/bulkheads/life.ts'
import { type BrandCtx, type CtxParts, type OutsideBrandCtx, systemCtx } from '#platform/ctx/ctx.ts'
import { StaleCaller } from '#platform/db/stale-caller.ts'
import type { Authenticator } from '#platform/http/handle.ts'
import type { Inside, InsideAnswer, InsideCall } from '#platform/http/inside.ts'
import type { Deadline, Deadlines } from '#platform/http/limits/deadlines.ts'
import { type HandleGuard, moveTo } from '#platform/http/limits/handle-guard.ts'
import type { RateLimits } from '#platform/http/limits/rate-limits.ts'
import { tell } from '#platform/http/response/errors.ts'
import { inWordsOf } from '#platform/http/response/outage-words.ts'
import { answerInside, refusedInside } from '#platform/http/serving/inside-answer.ts'
import { Collected, InsideRequest, NoWire } from '#platform/http/serving/inside-request.ts'
import type { Mounted } from '#platform/http/serving/mount.ts'
import { perform } from '#platform/http/serving/perform.ts'
import type { RequestFacts } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'

export interface InsideOptions {
  readonly ctx: CtxParts
  readonly deadlines: Deadlines
  readonly metrics: Metrics
  readonly authenticate: Authenticator | undefined
  readonly rate_limits: RateLimits
  /** Every route of the process by its contract. */
  readonly mounted: ReadonlyMap<AnyRoute, Mounted>
  /** What counts requests by their handle. */
  readonly handle_guards: readonly HandleGuard[]
  /** Writes a line of the request log. */
  readonly writeLine: (facts: RequestFacts) => void
}

/** The request that the calls belong to. */
interface Outer {
  readonly life: Life
  readonly deadline: Deadline
}

/** Calls inside of one request. */
export class CallsInside implements Inside {
  readonly #id: string
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  readonly #options: InsideOptions
  readonly #outer: Outer

  constructor(
    id: string,
    request: FastifyRequest,
    reply: FastifyReply,
    options: InsideOptions,
    outer: Outer,
  ) {
    this.#id = id
    this.#request = request
    this.#reply = reply
    this.#options = options
    this.#outer = outer
  }

  /** The time of the route counts, not that of the request around it. */
  perform(spec: AnyRoute, call: InsideCall): Promise<InsideAnswer> {
    return this.#outer.deadline.aside(() => this.#performInTime(spec, call))
  }

  async #performInTime(spec: AnyRoute, call: InsideCall): Promise<InsideAnswer> {
    const begun = performance.now()
    const request = new InsideRequest(spec, call, this.#request)
    const answer = await this.#answerOf(spec, call, request)
    const { id: request_id, method, url } = request
    const [path = ''] = url.split('?', 1)
    const ms = Math.round((performance.now() - begun) * 10) / 10
    const { status } = answer
    this.#options.writeLine({ request_id, route: spec.id, method, path, status, ms, inside: this.#id })
    return answer
  }

  async #answerOf(spec: AnyRoute, call: InsideCall, request: InsideRequest): Promise<InsideAnswer> {
    const { deadlines, handle_guards, metrics } = this.#options
    const reply = new Collected(this.#reply)
    const refuse = (error: unknown) => refusedInside(tell(error, request, metrics), reply.told)
    const { life: outer } = this.#outer
    if (outer.ended) return refuse(outer.ended)
    const full = moveTo(spec.database, this.#request.held, handle_guards)
    if (full) return refuse(full)
    const { route, options, limit_ms } = this.#mountedOf(spec)
    const life = new Life(options.works ?? options.ctx.database)
    const forget = outer.onEnd((reason) => life.end(reason))
    const late = Promise.withResolvers<InsideAnswer>()
    const deadline = deadlines.begin(limit_ms, life, (reason) =>
      late.resolve(refuse(inWordsOf(spec, reason))),
    )
    const work = async (): Promise<InsideAnswer> => {
      try {
        const done = await perform(route, request, reply, options, new NoWire(spec, call.body, life))
        return await answerInside(route, done, reply.told, options.check_answers, this.#reply)
      } catch (error) {
        // Whoever ended its life has been told why.
        return life.ended ? refusedInside(life.ended, reply.told) : refuse(error)
      }
    }
    try {
      return await Promise.race([work(), late.promise])
    } finally {
      deadlines.end(deadline)
      forget()
    }
  }

  #mountedOf(spec: AnyRoute): Mounted {
    const found = this.#options.mounted.get(spec)
    if (!found || found.route.signer) throw new Error(`${spec.id} cannot be called from inside`)
    return found
  }

  async as<T>(auth: Auth & { kind: 'token' }, work: (ctx: OutsideBrandCtx) => Promise<T> | T): Promise<T> {
    const { ctx: parts, authenticate } = this.#options
    if (!authenticate) throw new Error('no authenticator is configured')
    const spec = asking(this.#id, auth)
    const {
      id,
      log,
      method,
      ip,
      headers: { authorization },
    } = this.#request
    // Only what was sent for this purpose: a cookie comes without being asked for.
    const shown = { method, ip, params: {}, headers: authorization === undefined ? {} : { authorization } }
    for (let again = false; ; again = true) {
      const base = systemCtx(parts, log, { kind: 'nobody' }, id, this.#outer.life)
      try {
        const ctx = await authenticate.authenticate(spec, shown, base, again)
        if (ctx.kind !== 'brand') throw new Error(`${spec.id} was let in without a workspace`)
        return await work(ctx)
      } catch (error) {
        if (again || !(error instanceof StaleCaller)) throw error
      }
    }
  }

  permits({ actor }: BrandCtx, spec: AnyRoute): boolean {
    return this.#options.authenticate?.permits?.(spec, actor) ?? false
  }

  count(ctx: BrandCtx): void {
    this.#options.rate_limits.count(ctx, this.#reply)
  }
}

/** Nobody calls this route: it says what a credential has to be good for. */
const asking = (id: string, auth: Auth): AnyRoute => ({
  id,
  method: 'POST',
  path: '/api/v1/',
  summary: '',
  auth,
  responses: {},
})
