import type { GuestAccess } from '#modules/workspaces'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { Outage } from '#platform/outage/outage.ts'

const limitMs = 1000

/**
 * Boards in another process, beside those of the product: a provider whose store is a service behind HTTP.
 * It hands on what it is told without looking, because judging it is the business of the workspace.
 */
export function boardsAt(url: string): GuestAccess {
  const guestsOf = ({ brandId }: BrandCtx) => `${url}/brands/${brandId}/guests`
  return {
    kind: 'board',
    list: async (ctx) => field(await ask('GET', guestsOf(ctx)), 'grants') as never,
    remove: async (ctx, person_id) =>
      field(await ask('DELETE', `${guestsOf(ctx)}/${person_id}`), 'removed') as never,
    // It holds the boards of one workspace at a time and cannot tell of others.
    find: async () => undefined,
    isGuestElsewhere: async () => false,
  }
}

/** Where the boards of a probe are, when it has any. */
export const boardsOfProbe = (): GuestAccess[] => {
  const url = process.env.PROBE_BOARDS_URL
  return url ? [boardsAt(url)] : []
}

async function ask(method: string, url: string): Promise<unknown> {
  try {
    const response = await fetch(url, { method, signal: AbortSignal.timeout(limitMs) })
    if (!response.ok) throw new Error(`boards answered ${response.status}`)
    return await response.json()
  } catch (cause) {
    const isLate = cause instanceof Error && cause.name === 'TimeoutError'
    throw new Outage('service', isLate ? 'timeout' : 'unreachable', { cause })
  }
}

const field = (answer: unknown, name: string): unknown =>
  (answer as Record<string, unknown> | null | undefined)?.[name]
