import { serveInside } from '#platform/readiness/inside-server.ts'
import { type Config, exitMisconfigured } from './config.ts'
import { createMeshHub } from './modules/fleet/fleet.module.ts'
import { createParts } from './parts.ts'
import { checkStart } from './start-checks.ts'
import { untilStopped } from './until-stopped.ts'

/** Starts the hub of the private network. The one process that may change the network of its machine. */
export async function runHub(config: Config): Promise<void> {
  const settings = hubSettings(config)
  // It turns no text into vectors, and has no use for a model in memory.
  const parts = await createParts({ ...config, EMBEDDINGS: 'off' }, 'hub')
  const inside = await serveInside(parts, 2)
  await checkStart(parts, 'hub')
  const hub = createMeshHub(parts, settings)
  await hub.start()
  parts.readiness.serve()
  parts.log.info({ device: config.MESH_DEVICE }, 'ready')
  await Promise.race([untilStopped(parts.log), hub.replaced])
  parts.readiness.drain()
  inside?.close()
  await hub.close()
  await parts.close()
}

function hubSettings(config: Config) {
  const { MESH_HUB_ENDPOINT, MESH_HUB_PUBLIC_KEY, MESH_HUB_PRIVATE_KEY_FILE } = config
  if (!MESH_HUB_ENDPOINT || !MESH_HUB_PUBLIC_KEY || !MESH_HUB_PRIVATE_KEY_FILE)
    return exitMisconfigured(
      'MESH_HUB_PRIVATE_KEY_FILE: a hub needs it, together with MESH_HUB_ENDPOINT and MESH_HUB_PUBLIC_KEY; without a private network of desks, start no hub',
    )
  return {
    listen_port: Number(MESH_HUB_ENDPOINT.slice(MESH_HUB_ENDPOINT.lastIndexOf(':') + 1)),
    public_key: MESH_HUB_PUBLIC_KEY,
    private_key_file: MESH_HUB_PRIVATE_KEY_FILE,
  }
}
