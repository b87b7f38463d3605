import * as proofs from '@crewhall/contracts/identity/email-proofs.ts'
import * as erasures from '@crewhall/contracts/identity/erasures.ts'
import * as passwords from '@crewhall/contracts/identity/own-password.ts'
import * as sessions from '@crewhall/contracts/identity/own-sessions.ts'
import * as addresses from '@crewhall/contracts/mailboxes/addresses.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { queryOptions } from '@tanstack/react-query'
import { apiOf } from '../../../api/api.ts'

export const ownApi = apiOf({
  identity: routesIn(proofs, passwords, sessions, erasures),
  mailboxes: routesIn(addresses),
})

export const sessionsQuery = queryOptions({
  queryKey: ['own-sessions'],
  queryFn: async ({ signal }) => (await ownApi.reading(signal).identity.listOwnSessions()).body.sessions,
  // No event tells of a new one.
  refetchInterval: 30_000,
})

export const addressQuery = queryOptions({
  queryKey: ['mail-address'],
  queryFn: async ({ signal }) => (await ownApi.reading(signal).mailboxes.getAddress()).body,
})

export const availabilityQuery = (name: string) =>
  queryOptions({
    queryKey: ['mail-address', 'availability', name],
    queryFn: async ({ signal }) =>
      (await ownApi.reading(signal).mailboxes.getAvailability({ query: { name } })).body,
    // Somebody else may take it meanwhile.
    staleTime: 0,
    retry: false,
  })

export const myErasureQuery = queryOptions({
  queryKey: ['my-erasure'],
  queryFn: async ({ signal }) => (await ownApi.reading(signal).identity.getMyErasure()).body.erasure,
})

export const brandErasureQuery = (brand_id: string) =>
  queryOptions({
    queryKey: ['brand-erasure', brand_id],
    queryFn: async ({ signal }) =>
      (await ownApi.reading(signal).identity.getBrandErasure({ params: { brand_id } })).body.erasure,
  })
