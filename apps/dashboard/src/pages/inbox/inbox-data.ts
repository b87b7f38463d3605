import type { InboxEntry, InboxState } from '@crewhall/contracts/inbox/inbox.ts'
import { type InfiniteData, infiniteQueryOptions, useMutation } from '@tanstack/react-query'
import { newAction } from '../../api/own-fetch.ts'
import { inboxApi } from '../../app/inbox.ts'
import { queries } from '../../app/queries.ts'
import { sayFailed } from '../../ui/toast.tsx'

/** Which entries are listed: the open ones, or those that were put away. */
export const shelves = ['open', 'snoozed', 'done'] as const
export type Shelf = (typeof shelves)[number]
export const shelfOf = (state: string | undefined): Shelf => shelves.find((each) => each === state) ?? 'open'

const pageSize = 100

export const entriesQuery = (shelf: Shelf, isNeeded: boolean) =>
  infiniteQueryOptions({
    queryKey: ['inbox', 'entries', shelf, isNeeded],
    queryFn: async ({ signal, pageParam }) =>
      (
        await inboxApi.reading(signal).inbox.listInbox({
          query: {
            limit: String(pageSize),
            ...(shelf === 'open' ? {} : { state: shelf }),
            ...(isNeeded ? { kind: 'asks_you,review_wanted,broke' } : {}),
            ...(pageParam === undefined ? {} : { cursor: pageParam }),
          },
        })
      ).body,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })

interface Marking {
  readonly entries: readonly Pick<InboxEntry, 'id' | 'causes'>[]
  readonly state: InboxState
  readonly until?: string
}

type Listed = InfiniteData<{ readonly items: readonly InboxEntry[] }>

/** Shows at once what was marked; what the server says replaces it. */
function showMarked({ entries, state }: Marking): void {
  const ids = new Set(entries.map(({ id }) => id))
  queries.setQueriesData<Listed>({ queryKey: ['inbox', 'entries'] }, (known) =>
    known === undefined
      ? known
      : {
          ...known,
          pages: known.pages.map((page) => ({
            ...page,
            items: page.items.map((entry) => (ids.has(entry.id) ? { ...entry, state } : entry)),
          })),
        },
  )
}

export function useMark() {
  return useMutation({
    mutationFn: async (marking: Marking) =>
      // A cause that came after what the person has seen stays unread.
      (
        await inboxApi.acting(newAction()).inbox.markInbox({
          body: {
            ...marking,
            entries: marking.entries.map(({ id, causes }) => ({ id, causes })),
          },
        })
      ).body,
    onMutate: showMarked,
    onError: (error) => sayFailed('The inbox was not changed', error),
    onSettled: () => queries.invalidateQueries({ queryKey: ['inbox'] }),
  })
}

/** All that are unread now, page by page; what comes meanwhile stays unread. */
export function useMarkAllRead() {
  return useMutation({
    mutationFn: async () => {
      for (let turn = 0; turn < 10; turn += 1) {
        const { items } = (
          await inboxApi.reading().inbox.listInbox({ query: { state: 'unread', limit: String(pageSize) } })
        ).body
        if (items.length === 0) return
        const entries = items.map(({ id, causes }) => ({ id, causes }))
        await inboxApi.acting(newAction()).inbox.markInbox({ body: { entries, state: 'read' } })
      }
    },
    onError: (error) => sayFailed('Not all entries were marked as read', error),
    onSettled: () => queries.invalidateQueries({ queryKey: ['inbox'] }),
  })
}
