import type { Redis } from 'ioredis'
import { type CtxParts, systemCtx } from '#platform/ctx/ctx.ts'
import type { WakeUps } from '#platform/events/wake-ups.ts'
import { Loop } from '#platform/jobs/loop.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { KeptValues } from '#platform/redis/kept-values.ts'
import { WireGuardDevice } from '#platform/wireguard/device.ts'
import type { Config } from '../../../config.ts'
import { hubAddressOf, networkOfCell } from './addresses.rules.ts'
import { Hub, oldestDeltaSeconds } from './hub.service.ts'
import { meshTopic } from './peers.service.ts'

interface Deps {
  readonly ctx: CtxParts
  readonly log: Log
  readonly metrics: Metrics
  readonly redis: Redis
  readonly wake_ups: WakeUps
  readonly config: Pick<Config, 'MESH_PREFIX' | 'MESH_DEVICE' | 'MESH_OPEN_PORT'>
}

interface HubSettings {
  readonly listen_port: number
  readonly public_key: string
  readonly private_key_file: string
}

/** There is one cell so far. */
const cell = 0
/** Where a wake-up got lost. */
const lookMs = 2000
const pauseMs = 20
/** A desk whose place is older calls by itself. */
const endpointSeconds = 7 * 24 * 60 * 60

export interface MeshHub {
  /** Fails where the device cannot be made, or has another key than desks are told. */
  start(): Promise<void>
  /** With the device: who was released while no hub runs must not be reachable. */
  close(): Promise<void>
}

export function createMeshHub(
  { ctx, log, metrics, redis, wake_ups, config }: Deps,
  { listen_port, public_key, private_key_file }: HubSettings,
): MeshHub {
  const network = networkOfCell(config.MESH_PREFIX, cell)
  const device = new WireGuardDevice({
    name: config.MESH_DEVICE,
    address: `${hubAddressOf(network)}/64`,
    listen_port,
    private_key_file,
    open_port: config.MESH_OPEN_PORT,
    log,
  })
  const hub = new Hub({ cell, device, endpoints: new KeptValues(redis, 'mesh-endpoints', endpointSeconds) })
  const system = systemCtx(ctx, log, { kind: 'system', name: 'fleet.mesh-hub' })
  const loop = new Loop({
    name: 'fleet.mesh-hub',
    every_ms: lookMs,
    pause_ms: pauseMs,
    look: () => hub.look(system),
    log,
  })
  let forget = () => {}
  return {
    async start() {
      await device.ensure()
      const has = await device.publicKey()
      if (has !== public_key) {
        await device.remove()
        throw new Error(`the key in MESH_HUB_PRIVATE_KEY_FILE is not that of MESH_HUB_PUBLIC_KEY, but ${has}`)
      }
      metrics.watchOldest('delta', () => oldestDeltaSeconds(system, cell))
      loop.start()
      forget = wake_ups.listen([meshTopic], () => loop.wake())
      loop.wake()
    },
    async close() {
      forget()
      await loop.stop()
      await hub.saveEndpoints(system)
      await device.remove()
    },
  }
}
