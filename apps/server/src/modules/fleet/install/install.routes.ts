import type { PlainRoute } from '#platform/http/plain-route.ts'
import { type InstallDeps, refuseInstall, renderDigest, renderInstaller } from './install.service.ts'

export const installRoutes = (deps: InstallDeps): readonly PlainRoute[] => [
  {
    id: 'fleet.getInstaller',
    method: 'GET',
    path: '/install/sidecar',
    run: (ctx, { query }) => renderInstaller(ctx, deps, query),
    refuse: refuseInstall,
  },
  {
    id: 'fleet.getInstallerDigest',
    method: 'GET',
    path: '/install/sidecar.sha256',
    run: (ctx, { query }) => renderDigest(ctx, deps, query),
    refuse: refuseInstall,
  },
]
