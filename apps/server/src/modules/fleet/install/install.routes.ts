import type { PlainRoute } from '#platform/http/plain-route.ts'
import { refuseInstall, renderInstaller } from './install.service.ts'

export const installRoutes: readonly PlainRoute[] = [
  {
    id: 'fleet.getInstaller',
    method: 'GET',
    path: '/install/sidecar',
    run: renderInstaller,
    refuse: refuseInstall,
  },
]
