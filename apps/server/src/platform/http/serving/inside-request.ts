import type { AnyRoute } from '@crewhall/contracts/route.ts'
import type { FastifyRequest } from 'fastify'
import type { Life } from '#platform/bulkheads/life.ts'
import type { InsideCall } from '#platform/http/inside.ts'
import type { TakesHeaders } from '#platform/http/limits/rate-limits.ts'
import { invalid } from '#platform/http/request/validate.ts'
import type { Incoming, Own } from '#platform/http/serving/perform.ts'
import type { Log } from '#platform/log/log.ts'

/** The head of a call from inside, as it would have come over the wire. */
export class InsideRequest implements Incoming {
  readonly id: string
  readonly log: Log
  readonly method: string
  readonly url: string
  readonly ip: string
  readonly headers: Incoming['headers']
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly held: { readonly network: string }

  constructor({ method, path }: AnyRoute, call: InsideCall, outer: FastifyRequest) {
    this.id = outer.id
    this.log = outer.log
    this.ip = outer.ip
    this.held = outer.held
    this.method = method
    this.params = mapped(call.params ?? {}, String)
    this.query = mapped(call.query ?? {}, (value) =>
      Array.isArray(value) ? value.map(String) : String(value),
    )
    this.url = urlOf(path, this.params, this.query)
    const { authorization, 'user-agent': userAgent } = outer.headers
    // No cookie: a browser sends one by itself.
    this.headers = {
      ...(authorization === undefined ? {} : { authorization }),
      ...(userAgent === undefined ? {} : { 'user-agent': userAgent }),
      ...call.headers,
    }
  }
}

/** What the layer says of a response, collected. The limits of the caller are those of the request around it. */
export class Collected implements TakesHeaders {
  readonly told: Record<string, string> = {}
  readonly #outer: TakesHeaders

  constructor(outer: TakesHeaders) {
    this.#outer = outer
  }

  headers(values: Record<string, string>): void {
    Object.assign(this.told, values)
    this.#outer.headers(values)
  }
}

/** Values as they would stand in an address, where everything is text. */
function mapped<T>(
  values: Readonly<Record<string, unknown>>,
  form: (value: unknown) => T,
): Readonly<Record<string, T>> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(entries.map(([name, value]) => [name, form(value)]))
}

function urlOf(
  path: string,
  params: Readonly<Record<string, string>>,
  query: Readonly<Record<string, unknown>>,
): string {
  const named = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''))
  const asked = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const each of Array.isArray(value) ? value : [value]) asked.append(name, each)
  return asked.size === 0 ? named : `${named}?${asked}`
}

/** What follows the head is here already. */
export class NoWire implements Own {
  readonly life: Life
  readonly #spec: AnyRoute
  readonly #body: unknown

  constructor(spec: AnyRoute, body: unknown, life: Life) {
    this.life = life
    this.#spec = spec
    this.#body = body
  }

  hasBody(): boolean {
    return this.#body !== undefined
  }

  async body(): Promise<unknown> {
    return this.#body
  }

  withFile(): Promise<never> {
    throw invalid(this.#spec, 'A file is sent over HTTP')
  }
}
