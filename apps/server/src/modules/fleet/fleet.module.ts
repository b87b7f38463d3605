import { featureHoldings } from '#modules/workspaces'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import type { Images } from '#platform/images/images.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill } from '#platform/modules/port.ts'
import { networksOf } from '#platform/outbound/addresses.ts'
import { targetWithin } from '#platform/outbound/target.ts'
import { createPictureObjects } from '#platform/storage/picture-objects.ts'
import type { Storage } from '#platform/storage/storage.ts'
import type { Config } from '../../config.ts'
import { deskRoutes } from './desks/desks.routes.ts'
import { countDesks } from './desks/desks.service.ts'
import { environmentRoutes } from './environments/environments.routes.ts'
import { deletingFleet } from './erasure/erase-fleet.store.ts'
import { deskPhotoJobs } from './photos/desk-photos.jobs.ts'
import { deskPhotoRoutes } from './photos/desk-photos.routes.ts'
import { updateRoutes } from './updates/updates.routes.ts'

interface Deps {
  readonly cursors: Cursors
  readonly storage: Storage
  readonly images: Images
  readonly config: Pick<Config, 'PUBLIC_URL' | 'INSTALL_URL' | 'UPGRADE_URL' | 'DESK_NETWORKS'>
}

export function createFleet({ cursors, storage, images, config }: Deps): Module {
  const objects = createPictureObjects(storage, 'desk-photos')
  const networks = networksOf(config.DESK_NETWORKS)
  return {
    routes: [
      ...deskRoutes({
        cursors,
        install_url: config.INSTALL_URL ?? config.PUBLIC_URL,
        base_url: config.PUBLIC_URL,
        upgrade_url: config.UPGRADE_URL ?? '/dashboard/settings/plan',
      }),
      ...environmentRoutes({ isDeskUrl: (url) => targetWithin(url, networks) !== undefined }),
      ...deskPhotoRoutes({ objects, images }),
      ...updateRoutes,
    ],
    jobs: deskPhotoJobs(objects),
    fills: [
      fill(featureHoldings, { feature: 'machines', count: countDesks }),
      // Of people there are ids here and nothing else, so there is no part for a person.
      fill(erasureParts, { part: 'fleet', brand: emptying(objects.dropAllOf, ...deletingFleet) }),
    ],
  }
}
