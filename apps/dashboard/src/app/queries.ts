import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { problemOf, shouldRetry } from '../api/problem.ts'

/** The session has ended, whichever call found out. */
function onError(error: unknown): void {
  const { kind, text } = problemOf(error)
  if (kind === 'signed_out' && text === 'Not authenticated') queries.setQueryData(['me'], null)
}

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      // Changes are told by the stream; what it does not tell is asked for again when somebody looks.
      staleTime: 30_000,
      retry: shouldRetry,
      networkMode: 'always',
      throwOnError: false,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
})
