import * as contract from '@crewhall/contracts/workspaces/features.ts'
import { handle } from '#platform/http/handle.ts'
import { changeSwitch, type FeatureDeps, getFeatures } from './features.service.ts'

export const featureRoutes = (deps: FeatureDeps) => [
  handle(contract.getFeatures, (ctx) => getFeatures(ctx, deps)),
  handle(contract.changeFeature, (ctx, { params, body }) =>
    changeSwitch(ctx, deps, { key: params.key, on: body.on }),
  ),
]
