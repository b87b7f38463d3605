import * as contract from '@crewhall/contracts/fleet/environments.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './environments.service.ts'

export const environmentRoutes = (deps: service.EnvironmentDeps) => [
  handle(contract.changeEnvironment, (ctx, { params, body }) =>
    service.changeEnvironment(ctx, deps, params.workstation_id, body),
  ),
  handle(contract.getReauthStatus, (ctx) => service.getReauthStatus(ctx)),
]
