import * as contract from '@crewhall/contracts/marketplace/installs.ts'
import { handle, handleInPhases } from '#platform/http/handle.ts'
import * as service from './installs.service.ts'
import type { InstallDeps } from './listing.service.ts'

export const installRoutes = (deps: InstallDeps) => [
  handle(contract.listInstalls, (ctx) => service.listAllInstalls(ctx)),
  handle(contract.getInstall, (ctx, { params }) => service.getOneInstall(ctx, params.install_id)),
  handleInPhases(contract.installPackage, {
    before: (ctx, { body }) => service.prepareInstall(ctx, deps, body),
    run: (ctx, { body }, prepared) => service.installOne(ctx, deps, body, prepared),
  }),
  handle(contract.changeGrants, (ctx, { params, body }) => service.grantOne(ctx, params.install_id, body)),
  handle(contract.changeCredential, (ctx, { params, body }) =>
    service.replaceCredential(ctx, deps, params.install_id, body.credential),
  ),
  handleInPhases(contract.changeVersion, {
    before: (ctx, { params, body }) => service.prepareMove(ctx, deps, params.install_id, body.version),
    run: (ctx, { params }, prepared) => service.moveOne(ctx, params.install_id, prepared),
  }),
  handle(contract.disableInstall, (ctx, { params }) => service.switchOne(ctx, params.install_id, false)),
  handle(contract.enableInstall, (ctx, { params }) => service.switchOne(ctx, params.install_id, true)),
  handle(contract.approveTools, (ctx, { params, body }) =>
    service.approveOne(ctx, params.install_id, body.digest),
  ),
  handle(contract.uninstallPackage, async (ctx, { params }) => {
    await service.uninstallOne(ctx, params.install_id)
    return { success: true as const }
  }),
]
