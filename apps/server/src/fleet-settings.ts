import { PublicKey } from '@crewhall/contracts/fleet/desk-protocol.ts'
import { z } from 'zod'
import { isNetwork } from '#platform/outbound/addresses.ts'
import { listOr, url, whole } from './setting-forms.ts'

/** What the mesh of desks uses where nothing else is set. */
const meshPrefix = 'fd63:7265:7768::/48'

/** Settings of desks, a part of those in config.ts. */
export const fleetSettings = {
  INSTALL_URL: url('http', 'https')
    .optional()
    .describe('Public address that machines load the installer of desks from; falls back to PUBLIC_URL'),
  UPGRADE_URL: url('http', 'https')
    .optional()
    .describe(
      'Where people change their plan, shown when a workspace has as many desks as its plan allows; falls back to a page of the dashboard',
    ),
  DESK_NETWORKS: listOr(meshPrefix)
    .refine((texts) => texts.every(isNetwork), 'must be networks such as fd00:1::/48, separated by commas')
    .describe(
      'Networks that desks may be in, comma-separated: `sidecar_url` of a desk must be an address in one of them, and health checks connect nowhere else. The default is the private network of desks',
    ),
  DESK_CHECK_INTERVAL_MS: whole(30_000, 100).describe('Time between two health checks of a desk'),
  DESK_CANARY_URL: url('http', 'https')
    .optional()
    .describe(
      'Address in DESK_NETWORKS, such as that of the hub, that has to return 200 before a missed health check of a desk counts; falls back to a listener of the worker itself',
    ),
  DESK_CHECK_TIMEOUT_MS: whole(5000, 100).describe('Limit of one health check of a desk'),
  SIDECAR_BUNDLE_DIR: z
    .string()
    .regex(/^\//, 'must be an absolute path')
    .optional()
    .describe(
      'Directory with the signed sidecar that the installer and updates of machines install, and the Node it runs on: `sidecar.mjs`, `node-linux-x64.gz`, `node-linux-arm64.gz`, `npm.tgz`, and what was signed of each. Without it, no machine can join, and requested updates stay queued. See docs/sidecar-bundles.md',
    ),
  MESH_PREFIX: z
    .string()
    .regex(
      /^f[cd][0-9a-f]{2}:[0-9a-f]{1,4}:[0-9a-f]{1,4}::\/48$/,
      'must be a private network of three groups such as fd12:3456:789a::/48',
    )
    .default(meshPrefix)
    .describe('Private network of desks. Never change it once desks have joined'),
  MESH_HUB_ENDPOINT: z
    .string()
    .regex(
      /^(?:[A-Za-z0-9.-]{1,80}|\[[0-9a-f:.]{2,45}\]):[1-9]\d{0,4}$/,
      'must be a host and a port, such as hub.example.com:51820',
    )
    .optional()
    .describe(
      'Where desks reach the hub of the private network over UDP, as host:port; without it there is no such network',
    ),
  MESH_HUB_PUBLIC_KEY: PublicKey.optional().describe(
    'WireGuard key of the hub in base64url, told to desks; needed with MESH_HUB_ENDPOINT',
  ),
  MESH_HUB_PRIVATE_KEY_FILE: z
    .string()
    .regex(/^\//, 'must be an absolute path')
    .optional()
    .describe('Hub only: file with the private key, as `wg genkey` writes it'),
  MESH_DEVICE: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,14}$/, 'must be a device name of at most 15 lowercase letters and digits')
    .default('crewhall0')
    .describe('Hub only: name of its network device and of its firewall table'),
  SIDECAR_ROOT_KEY: PublicKey.optional().describe(
    'Public half of the root key of bundles, as `npm run sign -- root` prints it. It stands in the installer, and desks pin it. Without it, no machine can join',
  ),
  MESH_OPEN_PORT: whole(8443, 1).describe(
    'The one TCP port of the hub that desks may reach: their beats come there. The same for API and hub',
  ),
  MESH_API_URL: url('http', 'https')
    .optional()
    .describe(
      'Hub only: where it passes on beats that come over the private network; falls back to PUBLIC_URL',
    ),
  MESH_GATE_DIR: z
    .string()
    .regex(/^\//, 'must be an absolute path')
    .default('/run/crewhall-mesh')
    .describe(
      'Hub and worker: directory of the sockets of the gate, the one process in the network of desks, which runs as the owner of this directory',
    ),
  MESH_NAMESPACE: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,30}$/, 'must be a name of lowercase letters, digits and hyphens')
    .optional()
    .describe(
      'Hub and worker: network namespace that holds the private network and nothing else; health checks go out there, through the gate. Without it the worker has to run where the device of the hub is',
    ),
}
