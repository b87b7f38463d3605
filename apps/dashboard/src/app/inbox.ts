import * as inbox from '@crewhall/contracts/inbox/inbox.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { apiOf } from '../api/api.ts'

export const inboxApi = apiOf({ inbox: routesIn(inbox) })

/** How many entries are unread; below `inbox`, so that every event reads it again. */
export const unreadQuery = queryOptions({
  queryKey: ['inbox', 'unread'],
  queryFn: async ({ signal }) =>
    (await inboxApi.reading(signal).inbox.listInbox({ query: { state: 'unread', limit: '1' } })).body.unread,
  // Snoozed entries wake up without an event.
  refetchInterval: 60_000,
})

/** As far as it is known; asks for nothing. */
export const useKnownUnread = (): number => useQuery({ ...unreadQuery, enabled: false }).data ?? 0
