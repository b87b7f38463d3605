import { otherBrand } from '@crewhall/contracts/identity/refusals.ts'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { problemOf, shouldRetry } from '../api/problem.ts'
import { say } from '../ui/toast.tsx'

function onFailedWrite(error: unknown): void {
  onError(error)
  // The form that was sent goes with its workspace, so that it cannot say this.
  if (problemOf(error).text === otherBrand.text)
    say('Another workspace was chosen in another tab', { note: 'Nothing was changed in either of them.' })
}

/** The session has ended, or acts for another workspace, whichever call found out. */
function onError(error: unknown): void {
  const { kind, text } = problemOf(error)
  if (kind === 'signed_out' && text === 'Not authenticated') queries.setQueryData(['me'], null)
  if (text === otherBrand.text) void queries.invalidateQueries({ queryKey: ['me'] })
}

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError: onFailedWrite }),
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
