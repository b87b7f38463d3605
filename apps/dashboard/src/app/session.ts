import { ApiError } from '@crewhall/client/client.ts'
import type { Me } from '@crewhall/contracts/identity/sessions.ts'
import * as sessions from '@crewhall/contracts/identity/sessions.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { actFor } from '../api/acting-for.ts'
import { apiOf } from '../api/api.ts'
import { forgetAnswers } from '../api/known-answers.ts'
import { forgetDrafts } from './drafts.ts'
import { queries } from './queries.ts'

export const sessionApi = apiOf({ identity: routesIn(sessions) }, { is_of_session: true })

/** Null: nobody is signed in. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }): Promise<Me | null> => {
    try {
      const { body } = await sessionApi.reading(signal).identity.getMe()
      notice(body)
      return body
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
let noticed: Pick<Me, 'person' | 'brand_id'> | undefined

/** Who this tab is for. Nobody may have told it of a change: it slept, or the session was switched elsewhere. */
function notice(me: Me): void {
  if (noticed && noticed.person.id !== me.person.id) forgetDrafts()
  if (noticed && (noticed.person.id !== me.person.id || noticed.brand_id !== me.brand_id)) forget()
  noticed = me
  actFor(me.brand_id)
}

/** Somebody else, or another workspace, in this tab and in all others: nothing of the one before is kept. */
export function takeSession(me: Me | null): void {
  if (me === null) forgetDrafts()
  forget()
  if (me) notice(me)
  queries.setQueryData(['me'], me)
  channel.postMessage(me === null ? 'signed_out' : 'changed')
}

function forget(): void {
  forgetAnswers()
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' })
}

channel.onmessage = ({ data }: MessageEvent<'signed_out' | 'changed'>) => {
  if (data === 'signed_out') forgetDrafts()
  forget()
  void queries.invalidateQueries({ queryKey: ['me'] })
}
