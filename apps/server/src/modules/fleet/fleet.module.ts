import { setTimeout as pause } from 'node:timers/promises'
import { sendBeat } from '@crewhall/contracts/fleet/desk-agent.ts'
import type { Redis } from 'ioredis'
import { furtherCredentials } from '#modules/identity'
import { featureHoldings } from '#modules/workspaces'
import { type CtxParts, systemCtx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import type { WakeUps } from '#platform/events/wake-ups.ts'
import { Gate } from '#platform/gate/gate.ts'
import { doorIn } from '#platform/gate/gate-options.ts'
import type { Images } from '#platform/images/images.ts'
import { Loop } from '#platform/jobs/loop.ts'
import { sweeps } from '#platform/jobs/sweep.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill } from '#platform/modules/port.ts'
import { addressOf, networksOf } from '#platform/outbound/addresses.ts'
import { KeptCalls } from '#platform/outbound/kept-calls.ts'
import { targetWithin } from '#platform/outbound/target.ts'
import { DueTimes } from '#platform/redis/due-times.ts'
import { KeptValues } from '#platform/redis/kept-values.ts'
import type { KeyRing } from '#platform/secrets/key-ring.ts'
import { createKeyedDigests } from '#platform/secrets/keyed-digests.ts'
import { createPictureObjects } from '#platform/storage/picture-objects.ts'
import type { Storage } from '#platform/storage/storage.ts'
import { WireGuardDevice } from '#platform/wireguard/device.ts'
import { lockNetwork, type NetworkLock } from '#platform/wireguard/network-lock.ts'
import type { Config } from '../../config.ts'
import { commandKeysOf } from './commands/command-keys.ts'
import { lostCommandsSweep, oldCommandsSweep } from './commands/commands.service.ts'
import { deskRoutes } from './desks/desks.routes.ts'
import { countDesks } from './desks/desks.service.ts'
import { environmentRoutes } from './environments/environments.routes.ts'
import { deletingFleet } from './erasure/erase-fleet.store.ts'
import { Canary } from './health/canary.ts'
import { Checks, checkingSoon, placeOf } from './health/checks.service.ts'
import { healthRoutes } from './health/health.routes.ts'
import { installRoutes } from './install/install.routes.ts'
import { readTemplate } from './install/installer-template.ts'
import { logRoutes } from './logs/logs.routes.ts'
import { expiredLogsSweep } from './logs/logs.service.ts'
import { hubAddressOf, networkOfCell } from './mesh/addresses.rules.ts'
import { appliedDeltasSweep, Hub, oldestDeltaSeconds } from './mesh/hub.service.ts'
import { HubHold } from './mesh/hub-hold.service.ts'
import { type MeshFacts, meshTopic, wakingHub } from './mesh/peers.service.ts'
import { deskPhotoJobs } from './photos/desk-photos.jobs.ts'
import { deskPhotoRoutes } from './photos/desk-photos.routes.ts'
import { deskCredential, releasedKeysSweep } from './protocol/credentials.service.ts'
import { protocolRoutes } from './protocol/protocol.routes.ts'
import { syncRoutes } from './sync/sync.routes.ts'
import { Bundles } from './updates/bundles.ts'
import { sharedMachinesSweep } from './updates/shared-machines.service.ts'
import { updateJobs } from './updates/updates.jobs.ts'
import { updateRoutes } from './updates/updates.routes.ts'

export { derivedOfFleet } from './derived/derived.store.ts'

interface Deps {
  readonly ctx: CtxParts
  readonly log: Log
  readonly metrics: Metrics
  readonly cursors: Cursors
  readonly storage: Storage
  readonly images: Images
  readonly redis: Redis
  readonly key_ring: KeyRing
  /** Tells the hub that peers have changed. */
  readonly wake_ups: WakeUps
  readonly config: Pick<
    Config,
    | 'PUBLIC_URL'
    | 'INSTALL_URL'
    | 'UPGRADE_URL'
    | 'DESK_NETWORKS'
    | 'DESK_CHECK_INTERVAL_MS'
    | 'DESK_CHECK_TIMEOUT_MS'
    | 'DESK_CANARY_URL'
    | 'SIDECAR_BUNDLE_DIR'
    | 'MESH_PREFIX'
    | 'MESH_HUB_ENDPOINT'
    | 'MESH_HUB_PUBLIC_KEY'
    | 'SIDECAR_ROOT_KEY'
    | 'MESH_OPEN_PORT'
    | 'MESH_NAMESPACE'
    | 'MESH_GATE_DIR'
  >
}

/** Much longer than a signature is taken for, so that copies which are seldom heard are found too. */
const processSeconds = 7 * 24 * 60 * 60

/** How often a desk reports. */
const beatSeconds = 15

/** Between two looks for desks that are due. */
const lookMs = 250

/** More than a cell has desks. */
const mostConnections = 20_000

export function createFleet(deps: Deps): Module {
  const { ctx, log, metrics, cursors, storage, images, redis, key_ring, wake_ups, config } = deps
  const objects = createPictureObjects(storage, 'desk-photos')
  const mesh = meshFacts(config)
  const allowed = mesh ? [...config.DESK_NETWORKS, config.MESH_PREFIX] : config.DESK_NETWORKS
  const networks = networksOf(allowed)
  const isDeskUrl = (url: string) => targetWithin(url, networks) !== undefined
  const machines = createKeyedDigests(key_ring, 'desk-machines')
  const bundles = new Bundles(config.SIDECAR_BUNDLE_DIR, (error) =>
    log.error({ error }, 'the sidecar to install cannot be read, so updates wait and no machine can join'),
  )
  const due = new DueTimes(redis, 'desk-checks:0')
  /** A courtesy: without it the desk is checked within a minute if it never was, and within ten otherwise. */
  const hurry = (brandId: number, id: string): void => {
    due
      .hurry(placeOf(brandId, id), ctx.clock.now())
      .catch((error) => log.warn({ error }, 'could not hurry the check of a desk'))
  }
  const interval_ms = config.DESK_CHECK_INTERVAL_MS
  const limit_ms = config.DESK_CHECK_TIMEOUT_MS
  const lines = { most: mostConnections, idle_ms: 2 * interval_ms + limit_ms }
  const { MESH_NAMESPACE, MESH_GATE_DIR, MESH_PREFIX } = config
  const door = MESH_NAMESPACE ? { path: doorIn(MESH_GATE_DIR), networks: [MESH_PREFIX] } : undefined
  const calls = new KeptCalls({ networks: allowed, door, ...lines })
  const canaryCalls = new KeptCalls({ networks: [...allowed, '127.0.0.1/32'], door, ...lines })
  const canary = new Canary({ calls: canaryCalls, url: config.DESK_CANARY_URL, limit_ms })
  const checks = new Checks({ cell: 0, due, calls, canary, metrics, isDeskUrl, interval_ms, limit_ms })
  const system = systemCtx(ctx, log, { kind: 'system', name: 'fleet.check-desks' })
  const every_ms = Math.min(lookMs, interval_ms)
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
      ...environmentRoutes({ isDeskUrl, mesh }),
      ...healthRoutes,
      ...deskPhotoRoutes({ objects, images }),
      ...protocolRoutes({
        isDeskUrl,
        machineDigestOf: (machine_key) => machines.of(machine_key).toString('hex'),
        command_keys: commandKeysOf(key_ring.keysFor('desk-commands').all.map(({ bytes }) => bytes)),
        findBundle: () => bundles.find(),
        findFile: (sha256) => bundles.findFile(sha256),
        beat_s: beatSeconds,
        mesh,
        wakeHub: () => wake_ups.tell(meshTopic),
        hurry,
      }),
      ...updateRoutes,
      ...logRoutes,
      ...syncRoutes,
    ],
    plain_routes: installRoutes({
      template: readTemplate(),
      origins: [config.PUBLIC_URL],
      root_key: config.SIDECAR_ROOT_KEY,
      has_mesh: meshFacts(config) !== undefined,
      findBundle: () => bundles.find(),
      findNodes: () => bundles.findNodes(),
      findNpm: () => bundles.findNpm(),
    }),
    jobs: [...deskPhotoJobs(objects), ...updateJobs],
    listeners: [checkingSoon(hurry), wakingHub(wake_ups)],
    fills: [
      fill(
        furtherCredentials,
        deskCredential({ processes: new KeptValues(redis, 'desk-processes', processSeconds) }),
      ),
      fill(sweeps, releasedKeysSweep),
      fill(sweeps, sharedMachinesSweep),
      fill(sweeps, lostCommandsSweep),
      fill(sweeps, oldCommandsSweep),
      fill(sweeps, appliedDeltasSweep),
      fill(sweeps, expiredLogsSweep),
      fill(featureHoldings, { feature: 'machines', count: countDesks }),
      // Of people there are ids here and nothing else, so there is no part for a person.
      fill(erasureParts, { part: 'fleet', brand: emptying(objects.dropAllOf, ...deletingFleet) }),
    ],
    start: () => {
      canary.start()
      loop.start()
    },
    async close() {
      await loop.stop()
      await checks.leave(system)
      canary.close()
      for (const each of [calls, canaryCalls]) each.close()
    },
  }
}

function meshFacts({
  MESH_PREFIX,
  MESH_HUB_ENDPOINT,
  MESH_HUB_PUBLIC_KEY,
  MESH_OPEN_PORT,
}: Deps['config']): MeshFacts | undefined {
  if (!MESH_HUB_ENDPOINT || !MESH_HUB_PUBLIC_KEY) return undefined
  const network = networkOfCell(MESH_PREFIX, cell)
  const inside = networksOf([MESH_PREFIX])
  const hub_address = hubAddressOf(network)
  return {
    addressIn: (url) => addressOf(targetWithin(url, inside)?.host ?? '')?.toString(),
    network,
    hub_address,
    beat_url: `http://[${hub_address}]:${MESH_OPEN_PORT}`,
    hub_key: MESH_HUB_PUBLIC_KEY,
    hub_endpoint: MESH_HUB_ENDPOINT,
  }
}

interface HubDeps {
  readonly ctx: CtxParts
  readonly log: Log
  readonly metrics: Metrics
  readonly redis: Redis
  readonly wake_ups: WakeUps
  readonly config: Pick<
    Config,
    | 'MESH_PREFIX'
    | 'MESH_DEVICE'
    | 'MESH_OPEN_PORT'
    | 'MESH_API_URL'
    | 'MESH_GATE_DIR'
    | 'MESH_NAMESPACE'
    | 'PUBLIC_URL'
  >
}

interface HubSettings {
  readonly listen_port: number
  readonly public_key: string
  readonly private_key_file: string
}

/** There is one cell so far. */
const cell = 0
/** Where a wake-up got lost. */
const hubLookMs = 2000
const hubPauseMs = 20
/** While a desk changes its key, nothing reaches it between its first call and the look that finds it. */
const swapMs = 150
/** A desk whose place is older calls by itself. */
const endpointSeconds = 7 * 24 * 60 * 60

interface MeshHub {
  /**
   * Waits while another hub has the cell. Fails where the device cannot be made, has another key than desks are told, or has
   * a hub already.
   */
  start(): Promise<void>
  /** When another hub has taken over, because this one was not heard. */
  readonly replaced: Promise<void>
  /** With the device: who was released while no hub runs must not be reachable. */
  close(): Promise<void>
}

/** Between two looks whether the other hub is still there. */
const standbyMs = 500

export function createMeshHub(
  { ctx, log, metrics, redis, wake_ups, config }: HubDeps,
  { listen_port, public_key, private_key_file }: HubSettings,
): MeshHub {
  const network = networkOfCell(config.MESH_PREFIX, cell)
  const device = new WireGuardDevice({
    name: config.MESH_DEVICE,
    address: `${hubAddressOf(network)}/64`,
    listen_port,
    private_key_file,
    open_port: config.MESH_OPEN_PORT,
    namespace: config.MESH_NAMESPACE,
    log,
  })
  const api_url = config.MESH_API_URL ?? config.PUBLIC_URL
  const gate = new Gate({
    options: {
      folder: config.MESH_GATE_DIR,
      address: hubAddressOf(network),
      port: config.MESH_OPEN_PORT,
      path: sendBeat.path,
      api_host: new URL(api_url).host,
      networks: [network],
    },
    namespace: config.MESH_NAMESPACE,
    api_url,
    log,
  })
  const hub = new Hub({ cell, device, endpoints: new KeptValues(redis, 'mesh-endpoints', endpointSeconds) })
  const system = systemCtx(ctx, log, { kind: 'system', name: 'fleet.mesh-hub' })
  const replaced = Promise.withResolvers<void>()
  let isReplaced = false
  let soon: NodeJS.Timeout | undefined
  let hold: HubHold | undefined
  const loop = new Loop({
    name: 'fleet.mesh-hub',
    every_ms: hubLookMs,
    pause_ms: hubPauseMs,
    async look() {
      if (await hold?.renew(system)) {
        if (await hub.look(system)) soon = setTimeout(() => loop.wake(), swapMs)
        return
      }
      log.error({ cell }, 'another hub has taken over; this one ends')
      isReplaced = true
      replaced.resolve()
    },
    log,
  })
  let forget = () => {}
  let lock: NetworkLock | undefined
  return {
    replaced: replaced.promise,
    async start() {
      lock = await lockNetwork(`crewhall-hub ${config.MESH_DEVICE}`)
      if (!lock)
        throw new Error(`there is a hub with the device ${config.MESH_DEVICE} on this machine already`)
      hold = new HubHold({ cell, place: lock.place })
      for (let waits = 0; !(await hold.renew(system)); waits += 1) {
        if (waits === 0) log.warn({ cell }, 'another hub is up; this one waits until it is gone')
        await pause(standbyMs)
      }
      await device.ensure()
      const has = await device.publicKey()
      if (has !== public_key) {
        await device.remove()
        await hold.leave(system)
        throw new Error(`the key in MESH_HUB_PRIVATE_KEY_FILE is not that of MESH_HUB_PUBLIC_KEY, but ${has}`)
      }
      metrics.watchOldest('delta', () => oldestDeltaSeconds(system, cell))
      await gate.open()
      loop.start()
      forget = wake_ups.listen([meshTopic], () => loop.wake())
      loop.wake()
    },
    async close() {
      forget()
      clearTimeout(soon)
      gate.close()
      await loop.stop()
      // The other one knows better where desks are.
      if (!isReplaced) await hub.saveEndpoints(system)
      await device.remove()
      await hold?.leave(system).catch((error: unknown) => log.warn({ error }, 'the next hub has to wait'))
      lock?.release()
    },
  }
}
