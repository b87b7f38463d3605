import * as agents from '@crewhall/contracts/identity/agents.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { queryOptions } from '@tanstack/react-query'
import { apiOf } from '../api/api.ts'

const api = apiOf({ identity: routesIn(agents) })

/** Those who can be given work. One query for all pages: the same key with two shapes would break one of them. */
export const agentsQuery = queryOptions({
  queryKey: ['agents', 'active'],
  queryFn: async ({ signal }) =>
    (await api.reading(signal).identity.listAgents({ query: { status: 'active', limit: '100' } })).body.items,
})
