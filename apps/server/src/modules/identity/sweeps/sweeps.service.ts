import type { Sweep } from '#platform/jobs/sweep.ts'
import { deleteEndedDeviceCodes } from '../device/device.store.ts'
import { deleteUnusedClients } from '../oauth/clients.store.ts'
import { deleteUsedSecrets } from '../oauth/connections.store.ts'
import * as store from './sweeps.store.ts'

/** How long a token that was revoked or has expired can still be seen. */
const tokenDays = 90

/** How long an unused device is remembered. */
const deviceDays = 90

/** How long a program stays registered that nobody has let in. */
const clientHours = 24

/** How long a second use of a code or refresh token is recognized. */
const secretDays = 30

export const identitySweeps: readonly Sweep[] = [
  { table: 'identity.attempt_limits', bite: store.deleteOldAttempts },
  { table: 'identity.sessions', bite: store.deleteEndedSessions },
  { table: 'identity.device_codes', bite: deleteEndedDeviceCodes },
  { table: 'identity.devices', bite: (ctx, limit) => store.deleteOldDevices(ctx, limit, deviceDays) },
  { table: 'identity.password_resets', bite: store.deleteEndedResets },
  { table: 'identity.tokens', bite: (ctx, limit) => store.deleteEndedTokens(ctx, limit, tokenDays) },
  { table: 'identity.oauth_secrets', bite: (ctx, limit) => deleteUsedSecrets(ctx, limit, secretDays) },
  { table: 'identity.oauth_clients', bite: (ctx, limit) => deleteUnusedClients(ctx, limit, clientHours) },
]
