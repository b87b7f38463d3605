import { setTimeout as pause } from 'node:timers/promises'
import { ApiError, type Client, createClient } from '@crewhall/client/client.ts'

export type Credential = { readonly cookie: string } | { readonly token: string } | undefined

/** The public API as somebody uses it. Answers stay as they were sent: the server checks them itself. */
export function apiAs(base_url: string, by: Credential): Client {
  const headers: Record<string, string> =
    by === undefined ? {} : 'token' in by ? { authorization: `Bearer ${by.token}` } : { cookie: by.cookie }
  return createClient({ base_url, headers, as_sent: true, fetch: patiently })
}

const tries = 5
const limitMs = 30_000

/** Whoever is told to come back later does so, as programs should. */
async function patiently(...[url, init]: Parameters<typeof fetch>): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(limitMs) })
    const isBusy = response.status === 429 || response.status === 503
    if (!isBusy || attempt === tries) return response
    const seconds = Number(response.headers.get('retry-after') ?? 1)
    await pause(Math.min(10, Math.max(0.2, seconds)) * 1000)
  }
}

export const cookieOf = (headers: Headers): string => headers.get('set-cookie')?.split(';', 1)[0] ?? ''

export const wasRefused = (error: unknown, ...statuses: number[]): boolean =>
  error instanceof ApiError && statuses.includes(error.status)
