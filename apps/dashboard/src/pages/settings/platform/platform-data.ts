import * as catalog from '@crewhall/contracts/hires/catalog.ts'
import * as admin from '@crewhall/contracts/identity/admin.ts'
import * as platformAudit from '@crewhall/contracts/identity/platform-audit.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { queryOptions, useMutation } from '@tanstack/react-query'
import { apiOf } from '../../../api/api.ts'
import { queries } from '../../../app/queries.ts'
import { sayFailed } from '../../../ui/toast.tsx'

/** What platform admins may call; the server lets nobody else in. */
export const platformApi = apiOf({
  identity: routesIn(admin, platformAudit),
  hires: routesIn(catalog),
})

const everyMs = 30_000

export const brandsQuery = (after: string | undefined) =>
  queryOptions({
    queryKey: ['platform', 'brands', after ?? ''],
    queryFn: async ({ signal }) =>
      (
        await platformApi
          .reading(signal)
          .identity.listBrands({ query: { limit: '50', ...(after ? { after } : {}) } })
      ).body,
    refetchInterval: everyMs,
  })

export const plansQuery = queryOptions({
  queryKey: ['platform', 'plans'],
  queryFn: async ({ signal }) => (await platformApi.reading(signal).identity.listPlans()).body.plans,
  refetchInterval: everyMs,
})

export const catalogQuery = (after: string | undefined) =>
  queryOptions({
    queryKey: ['platform', 'catalog', after ?? ''],
    queryFn: async ({ signal }) =>
      (
        await platformApi
          .reading(signal)
          .hires.listCatalog({ query: { limit: '50', ...(after ? { after } : {}) } })
      ).body,
    refetchInterval: everyMs,
  })

export const platformAuditQuery = (before: string | undefined, person: string | undefined) =>
  queryOptions({
    queryKey: ['platform', 'audit', before ?? '', person ?? ''],
    queryFn: async ({ signal }) =>
      (
        await platformApi.reading(signal).identity.listPlatformAudit({
          query: { limit: '50', ...(before ? { before } : {}), ...(person ? { person } : {}) },
        })
      ).body,
    refetchInterval: before === undefined ? everyMs : false,
  })

export const readPlatformAgain = () => void queries.invalidateQueries({ queryKey: ['platform'] })

/** A deed of a platform admin: what it changed is read again, and a refusal is told. */
export const usePlatformDeed = <Input, Result>(
  what: string,
  run: (input: Input) => Promise<Result>,
  onDone: (result: Result) => void = () => {},
) =>
  useMutation({
    mutationFn: run,
    onSuccess: (result) => {
      readPlatformAgain()
      onDone(result)
    },
    onError: (error) => sayFailed(what, error),
  })
