import * as memories from '@crewhall/contracts/memory/memories.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { useQueries } from '@tanstack/react-query'
import { apiOf } from '../api/api.ts'

const api = apiOf({ memory: routesIn(memories) })

/**
 * Of the memories that a run began with, by id: at most ten, each read once. One that is gone, or that the reader may not see,
 * has none. Empty until it is known.
 */
export function useMemoryTitles(known: readonly { readonly id: string }[]): ReadonlyMap<string, string> {
  return useQueries({
    queries: known.map(({ id }) => ({
      queryKey: ['memory', id, 'title'],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) =>
        (await api.reading(signal).memory.getMemory({ params: { memory_id: id } })).body.title,
      retry: false,
      staleTime: 600_000,
    })),
    combine: (found) =>
      new Map(
        found.flatMap(({ data, isError }, at) =>
          isError ? [] : [[known[at]?.id ?? '', data ?? ''] as const],
        ),
      ),
  })
}
