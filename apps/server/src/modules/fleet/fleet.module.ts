import type { Redis } from 'ioredis'
import { furtherCredentials } from '#modules/identity'
import { featureHoldings } from '#modules/workspaces'
import { type CtxParts, systemCtx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import type { Images } from '#platform/images/images.ts'
import { Loop } from '#platform/jobs/loop.ts'
import { sweeps } from '#platform/jobs/sweep.ts'
import type { Log } from '#platform/log/log.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill } from '#platform/modules/port.ts'
import { networksOf } from '#platform/outbound/addresses.ts'
import { createOutbound } from '#platform/outbound/outbound.ts'
import { targetWithin } from '#platform/outbound/target.ts'
import { DueTimes } from '#platform/redis/due-times.ts'
import { KeptValues } from '#platform/redis/kept-values.ts'
import type { KeyRing } from '#platform/secrets/key-ring.ts'
import { createKeyedDigests } from '#platform/secrets/keyed-digests.ts'
import { createPictureObjects } from '#platform/storage/picture-objects.ts'
import type { Storage } from '#platform/storage/storage.ts'
import type { Config } from '../../config.ts'
import { deskRoutes } from './desks/desks.routes.ts'
import { countDesks } from './desks/desks.service.ts'
import { environmentRoutes } from './environments/environments.routes.ts'
import { deletingFleet } from './erasure/erase-fleet.store.ts'
import { Checks, checkingSoon, placeOf } from './health/checks.service.ts'
import { installRoutes } from './install/install.routes.ts'
import { deskPhotoJobs } from './photos/desk-photos.jobs.ts'
import { deskPhotoRoutes } from './photos/desk-photos.routes.ts'
import { deskCredential, releasedKeysSweep } from './protocol/credentials.service.ts'
import { publicKeyOf } from './protocol/desk-key.ts'
import { protocolRoutes } from './protocol/protocol.routes.ts'
import { sharedMachinesSweep } from './updates/shared-machines.service.ts'
import { updateJobs } from './updates/updates.jobs.ts'
import { updateRoutes } from './updates/updates.routes.ts'

interface Deps {
  readonly ctx: CtxParts
  readonly log: Log
  readonly cursors: Cursors
  readonly storage: Storage
  readonly images: Images
  readonly redis: Redis
  readonly key_ring: KeyRing
  readonly config: Pick<
    Config,
    | 'PUBLIC_URL'
    | 'INSTALL_URL'
    | 'UPGRADE_URL'
    | 'DESK_NETWORKS'
    | 'DESK_CHECK_INTERVAL_MS'
    | 'DESK_CHECK_TIMEOUT_MS'
  >
}

/** Much longer than a signature is taken for, so that copies which are seldom heard are found too. */
const processSeconds = 7 * 24 * 60 * 60

/** How often a desk reports. */
const beatSeconds = 15

/** Between two looks for desks that are due. */
const lookMs = 1000

export function createFleet({ ctx, log, cursors, storage, images, redis, key_ring, config }: Deps): Module {
  const objects = createPictureObjects(storage, 'desk-photos')
  const networks = networksOf(config.DESK_NETWORKS)
  const isDeskUrl = (url: string) => targetWithin(url, networks) !== undefined
  const machines = createKeyedDigests(key_ring, 'desk-machines')
  const due = new DueTimes(redis, 'desk-checks:0')
  /** A courtesy: without it the desk is checked within a minute. */
  const hurry = (brandId: number, id: string): void => {
    due
      .hurry(placeOf(brandId, id), ctx.clock.now())
      .catch((error) => log.warn({ error }, 'could not hurry the check of a desk'))
  }
  const checks = new Checks({
    due,
    outbound: createOutbound({ allowed_networks: config.DESK_NETWORKS, name_servers: [] }),
    isDeskUrl,
    interval_ms: config.DESK_CHECK_INTERVAL_MS,
    limit_ms: config.DESK_CHECK_TIMEOUT_MS,
  })
  const system = systemCtx(ctx, log, { kind: 'system', name: 'fleet.check-desks' })
  const every_ms = Math.min(lookMs, config.DESK_CHECK_INTERVAL_MS)
  const loop = new Loop({
    name: 'fleet.check-desks',
    every_ms,
    pause_ms: every_ms,
    look: () => checks.look(system),
    log,
  })
  return {
    routes: [
      ...deskRoutes({
        cursors,
        install_url: config.INSTALL_URL ?? config.PUBLIC_URL,
        base_url: config.PUBLIC_URL,
        upgrade_url: config.UPGRADE_URL ?? '/dashboard/settings/plan',
      }),
      ...environmentRoutes({ isDeskUrl }),
      ...deskPhotoRoutes({ objects, images }),
      ...protocolRoutes({
        isDeskUrl,
        machineDigestOf: (machine_key) => machines.of(machine_key).toString('hex'),
        command_key: publicKeyOf(key_ring.keysFor('desk-commands').current.bytes),
        beat_s: beatSeconds,
        hurry,
      }),
      ...updateRoutes,
    ],
    plain_routes: installRoutes,
    jobs: [...deskPhotoJobs(objects), ...updateJobs],
    listeners: [checkingSoon(hurry)],
    fills: [
      fill(
        furtherCredentials,
        deskCredential({ processes: new KeptValues(redis, 'desk-processes', processSeconds) }),
      ),
      fill(sweeps, releasedKeysSweep),
      fill(sweeps, sharedMachinesSweep),
      fill(featureHoldings, { feature: 'machines', count: countDesks }),
      // Of people there are ids here and nothing else, so there is no part for a person.
      fill(erasureParts, { part: 'fleet', brand: emptying(objects.dropAllOf, ...deletingFleet) }),
    ],
    start: () => loop.start(),
    close: () => loop.stop(),
  }
}
