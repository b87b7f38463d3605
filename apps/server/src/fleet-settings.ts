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
      'Directory with the signed sidecar that updates of machines install: `sidecar.mjs` and `sidecar.json`. Without it, requested updates stay queued. See docs/sidecar-bundles.md',
    ),
}
