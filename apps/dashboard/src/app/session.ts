import { ApiError } from '@crewhall/client/client.ts'
import type { Me } from '@crewhall/contracts/identity/sessions.ts'
import * as sessions from '@crewhall/contracts/identity/sessions.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { apiOf } from '../api/api.ts'
import { forgetAnswers } from '../api/known-answers.ts'
import { forgetDrafts } from './drafts.ts'
import { queries } from './queries.ts'

export const sessionApi = apiOf({ identity: routesIn(sessions) })

/** Null: nobody is signed in. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }): Promise<Me | null> => {
    try {
      return (await sessionApi.reading(signal).identity.getMe()).body
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null
      throw error
    }
  },
  // A session acts for one workspace at a time, and another tab may have chosen another one.
  refetchOnWindowFocus: 'always',
})

/** Inside the shell somebody is signed in and in a workspace; elsewhere this throws. */
export function useMe(): Me {
  const { data } = useQuery(meQuery)
  if (!data) throw new Error('nobody is signed in')
  return data
}

export function useBrand() {
  const me = useMe()
  const brand = me.memberships.find(({ brand_id }) => brand_id === me.brand_id)
  return { brand_id: String(me.brand_id), name: brand?.name ?? 'No workspace', isAdmin: me.role === 'admin' }
}

const channel = new BroadcastChannel('crewhall.session')

/** Somebody else, or another workspace, in this tab and in all others: nothing of the one before is kept. */
export function takeSession(me: Me | null): void {
  if (me === null) forgetDrafts()
  startOver(me)
  channel.postMessage('changed')
}

function startOver(me: Me | null | undefined): void {
  forgetAnswers()
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' })
  if (me === undefined) void queries.invalidateQueries({ queryKey: ['me'] })
  else queries.setQueryData(['me'], me)
}

channel.onmessage = () => startOver(undefined)
