import type { InstallDeps } from '#modules/marketplace'
import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill } from '#platform/modules/port.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import { directoriesOn } from '#platform/shared-files/directories.ts'
import type { Config } from '../../config.ts'
import { buildJobs } from './building/build.jobs.ts'
import { catalogRoutes } from './catalog/catalog.routes.ts'
import { credentialJobs } from './credentials/credentials.jobs.ts'
import { credentialRoutes } from './credentials/credentials.routes.ts'
import { lostDesks } from './credentials/lost-desks.service.ts'
import { endingJobs } from './ending/ending.jobs.ts'
import { endingRoutes } from './ending/ending.routes.ts'
import { Removals } from './ending/removals.service.ts'
import { eraseDirectories } from './erasure/erase-directories.service.ts'
import { hireRowsOfBrand } from './erasure/erase-hires.service.ts'
import { hiringRoutes } from './hiring/hires.routes.ts'

export { derivedOfBuilds } from './building/derived.store.ts'
/** For the migration command. */
export { loadShipped as loadShippedEmployees } from './catalog/shipped.service.ts'

export { derivedOfHires } from './ending/derived.store.ts'

interface Deps {
  readonly secret_box: SecretBox
  readonly installs: InstallDeps
  readonly config: Pick<Config, 'CONVERSATIONS_ROOT' | 'PUBLIC_URL'>
}

export function createHires({ secret_box, installs, config }: Deps): Module {
  const root = config.CONVERSATIONS_ROOT
  const directories = root === undefined ? undefined : directoriesOn(root)
  const removals = new Removals(directories)
  return {
    routes: [
      ...catalogRoutes,
      ...hiringRoutes,
      ...credentialRoutes({
        mcpUrlOf: (agent_id) => `${config.PUBLIC_URL}/mcp/agents/${encodeURIComponent(agent_id)}`,
      }),
      ...endingRoutes(removals),
    ],
    jobs: [...buildJobs({ secret_box, installs, directories }), ...credentialJobs, ...endingJobs(removals)],
    listeners: [lostDesks],
    fills: [
      fill(erasureParts, { part: 'hire-directories', brand: eraseDirectories(directories) }),
      fill(erasureParts, { part: 'hires', brand: emptying(...hireRowsOfBrand) }),
    ],
  }
}
