import { clientOf } from '@crewhall/client/client.ts'
import type { AnyRoute } from '@crewhall/contracts/route.ts'
import { z } from 'zod'
import { type Action, ownFetch } from './own-fetch.ts'

// The policy of the page forbids code made from text, which the library would try first.
z.config({ jitless: true })

/**
 * The routes that a page calls, and no others: each contract that is named here is weight of the page.
 * `reading.…` for queries, `acting(action).…` for what a person does.
 */
export function apiOf<const Routes extends Record<string, Record<string, AnyRoute>>>(
  routes: Routes,
  more: Pick<Action, 'is_of_session'> = {},
) {
  const base_url = location.origin
  return {
    reading: (signal?: AbortSignal) =>
      clientOf(routes, { base_url, fetch: ownFetch(signal ? { ...more, signal } : more) }),
    acting: (action: Action) => clientOf(routes, { base_url, fetch: ownFetch({ ...more, ...action }) }),
  }
}
