import { setTimeout as wait } from 'node:timers/promises'
import { Failure } from '../failure.ts'

/** Statuses after which the same request may succeed. */
const passing: readonly number[] = [429, 502, 503, 504]
const mostBodyBytes = 256 * 1024 * 1024

export interface Patience {
  /** Whether a second request does no harm: a read, or a write that carries its key. */
  readonly may_repeat: boolean
  /** Of one attempt, until its response has arrived completely; none for a stream. */
  readonly limit_ms: number | undefined
  readonly attempts?: number
  /** Longest time that a service may make us wait before one more attempt. */
  readonly longest_wait_ms?: number
  readonly signal?: AbortSignal
  /** Told before each wait, for somebody at a terminal. */
  readonly onWait?: (reason: string, wait_ms: number) => void
}

/** `fetch` for one call: it waits and tries again where that helps, ends in time and goes to no other origin. */
export function patientFetch(patience: Patience): typeof fetch {
  const { may_repeat, attempts = 4, longest_wait_ms = 30_000, signal } = patience
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    for (let attempt = 1; ; attempt += 1) {
      const isLast = !may_repeat || attempt >= attempts
      const outcome = await attemptOnce(url, init, patience)
      if (outcome instanceof Response) {
        const isPassing = passing.includes(outcome.status) || isStillRunning(outcome)
        if (!isPassing || isLast) return outcome
      } else if (isLast || signal?.aborted) throw outcome
      const asked = outcome instanceof Response ? secondsOf(outcome.headers.get('retry-after')) : undefined
      const wait_ms = asked === undefined ? 250 * 2 ** (attempt - 1) : asked * 1000
      if (wait_ms > longest_wait_ms) {
        if (outcome instanceof Response) return outcome
        throw outcome
      }
      patience.onWait?.(outcome instanceof Response ? `${outcome.status}` : outcome.message, wait_ms)
      if (outcome instanceof Response) await outcome.body?.cancel()
      await wait(wait_ms, undefined, signal ? { signal } : {}).catch(() => {
        throw new Failure('cancelled', 'cancelled')
      })
    }
  }
}

async function attemptOnce(
  url: URL,
  init: RequestInit | undefined,
  { limit_ms, signal }: Patience,
): Promise<Response | Failure> {
  const limit = limit_ms === undefined ? undefined : AbortSignal.timeout(limit_ms)
  const signals = [limit, signal].filter((each) => each !== undefined)
  try {
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      ...(signals.length > 0 ? { signal: AbortSignal.any(signals) } : {}),
    })
    if (response.status >= 300 && response.status < 400 && response.status !== 304)
      return redirected(url, response)
    if (limit_ms === undefined || !response.body) return response
    return await whole(response)
  } catch (error) {
    if (error instanceof Failure) return error
    if (signal?.aborted) return new Failure('cancelled', 'cancelled')
    if (limit?.aborted)
      return new Failure('away', `${url.origin} did not respond within ${(limit_ms ?? 0) / 1000} s`)
    return new Failure('away', `${url.origin} cannot be reached: ${causeOf(error)}`)
  }
}

/** Read within the limit of the attempt: a body that stops half way is one more reason to try again. */
async function whole(response: Response): Promise<Response> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.length
    if (size > mostBodyBytes) throw new Failure('error', `the response is longer than ${mostBodyBytes} bytes`)
    parts.push(part)
  }
  const { status, statusText, headers } = response
  const body = [204, 205, 304].includes(status) ? null : Buffer.concat(parts)
  return new Response(body, { status, statusText, headers })
}

/** Credentials go to the service that they are for, and nowhere that it points to. */
function redirected(url: URL, response: Response): Failure {
  const to = response.headers.get('location') ?? ''
  const origin = URL.canParse(to, url.href) ? new URL(to, url).origin : undefined
  const words = origin === undefined ? 'elsewhere' : `to ${origin}`
  return new Failure('error', `${url.origin} redirects ${words}, which is not followed`, {
    status: response.status,
    ...(origin && origin !== url.origin
      ? { remedy: `if that is the service, sign in with --host ${origin}` }
      : {}),
  })
}

/** The first request with our key is not over: its response will be there in a moment. */
const isStillRunning = (response: Response): boolean =>
  response.status === 409 && response.headers.has('retry-after')

const secondsOf = (header: string | null): number | undefined =>
  header !== null && /^\d{1,6}$/.test(header.trim()) ? Number(header) : undefined

function causeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: string; message?: string } }
  const code = cause?.code ?? ''
  return reasons[code] ?? (cause?.message || code || (error as Error).message)
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'names cannot be resolved',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  ENETUNREACH: 'the network is unreachable',
  EHOSTUNREACH: 'the network is unreachable',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed (NODE_EXTRA_CA_CERTS names further roots)',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is self-signed (NODE_EXTRA_CA_CERTS names further roots)',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
}
