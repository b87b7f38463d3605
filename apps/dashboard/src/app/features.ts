import { routesIn } from '@crewhall/contracts/routes-in.ts'
import type { FeatureKey, Features } from '@crewhall/contracts/workspaces/features.ts'
import * as features from '@crewhall/contracts/workspaces/features.ts'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { apiOf } from '../api/api.ts'
import { newAction } from '../api/own-fetch.ts'
import { sayFailed } from '../ui/toast.tsx'
import { queries } from './queries.ts'
import { useBrand } from './session.ts'

const api = apiOf({ workspaces: routesIn(features) })

const featuresQuery = (brand_id: string) =>
  queryOptions({
    queryKey: ['features', brand_id],
    queryFn: async ({ signal }) =>
      (await api.reading(signal).workspaces.getFeatures({ params: { brand_id } })).body,
  })

export const useFeatures = () => useQuery(featuresQuery(useBrand().brand_id))

/** As the server knows it; undefined until it is known. */
export const useFeature = (key: FeatureKey): Features['switches'][FeatureKey] | undefined =>
  useFeatures().data?.switches[key]

export function useSwitchFeature() {
  const { brand_id } = useBrand()
  return useMutation({
    mutationFn: async ({ key, on }: { readonly key: FeatureKey; readonly on: boolean }) =>
      (await api.acting(newAction()).workspaces.changeFeature({ params: { brand_id, key }, body: { on } }))
        .body,
    onSuccess: (now) => queries.setQueryData(featuresQuery(brand_id).queryKey, now),
    onError: (error, { key }) => sayFailed(`The feature ${key} was not switched`, error),
  })
}
