import type { SystemCtx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { erasureParts } from '#platform/erasure/erasure-part.ts'
import type { Authenticator } from '#platform/http/handle.ts'
import { sweeps } from '#platform/jobs/sweep.ts'
import type { Mail } from '#platform/mail/mail.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill, type Ports } from '#platform/modules/port.ts'
import type { Config } from '../../config.ts'
import { adminRoutes } from './admin/admin.routes.ts'
import { ensureStaff, type FirstStaff } from './admin/staff.service.ts'
import { agentRoutes } from './agents/agents.routes.ts'
import { adminKeysOf } from './callers/admin-keys.ts'
import { type AuthenticateDeps, createAuthenticator } from './callers/authenticate.service.ts'
import { RememberedCallers } from './callers/remembered-callers.ts'
import { deviceRoutes } from './device/device.routes.ts'
import { emailProofJobs } from './email-proofs/email-proofs.jobs.ts'
import { emailProofRoutes } from './email-proofs/email-proofs.routes.ts'
import { erasureJobs } from './erasures/erasures.jobs.ts'
import { erasureRoutes } from './erasures/erasures.routes.ts'
import { identityErasure } from './erasures/run-erasure.service.ts'
import { furtherCredentials, newPeople } from './identity.ports.ts'
import { accountLetterJobs } from './letters/account-letters.jobs.ts'
import { oauthRoutes } from './oauth/oauth.routes.ts'
import { hashOfNobody } from './passwords/password-hash.ts'
import { platformAuditJobs } from './platform-audit/platform-audit.jobs.ts'
import { platformAuditRoutes } from './platform-audit/platform-audit.routes.ts'
import { ownSessionRoutes } from './sessions/own-sessions.routes.ts'
import { sessionRoutes } from './sessions/sessions.routes.ts'
import { identitySweeps } from './sweeps/sweeps.service.ts'
import { tokenRoutes } from './tokens/tokens.routes.ts'

interface Deps {
  readonly config: Pick<
    Config,
    | 'SIGN_UP'
    | 'SIGN_UP_MAIL_DOMAINS'
    | 'PUBLIC_URL'
    | 'SERVICE_NAME'
    | 'SESSION_COOKIE_NAME'
    | 'ADMIN_KEY_DIGESTS'
    | 'AUTH_TRIES_PER_ADDRESS'
    | 'AUTH_TRIES_PER_EMAIL'
    | 'RETENTION_AUDIT_MONTHS'
    | 'ERASURE_GRACE_DAYS'
    | 'ERASURE_SETTLE_SECONDS'
  >
  readonly cursors: Cursors
  readonly mail: Mail
  readonly metrics: Metrics
  readonly ports: Ports
}

/** About 500 bytes each. */
const maxRemembered = 20_000

export interface IdentityModule extends Module {
  readonly authenticate: Authenticator
  ensureStaff(ctx: SystemCtx, given: FirstStaff): ReturnType<typeof ensureStaff>
}

export function createIdentity({ config, cursors, metrics, mail, ports }: Deps): IdentityModule {
  const new_people = ports.of(newPeople)
  const cookie = { name: config.SESSION_COOKIE_NAME, secure: config.PUBLIC_URL.startsWith('https:') }
  const callers: AuthenticateDeps = {
    cookie,
    own_origin: new URL(config.PUBLIC_URL),
    admin_keys: adminKeysOf(config.ADMIN_KEY_DIGESTS),
    remembered: new RememberedCallers(maxRemembered),
    lookups: metrics.caller_lookups,
    further: ports.of(furtherCredentials),
  }
  const authenticate = createAuthenticator(callers)
  const sessionDeps = {
    mail,
    cookie,
    public_url: config.PUBLIC_URL.replace(/\/$/, ''),
    service_name: config.SERVICE_NAME,
    dummy_hash: hashOfNobody(),
    tries_per_address: config.AUTH_TRIES_PER_ADDRESS,
    tries_per_email: config.AUTH_TRIES_PER_EMAIL,
    new_people,
    policy: { sign_up: config.SIGN_UP, domains: config.SIGN_UP_MAIL_DOMAINS },
  }
  return {
    routes: [
      ...sessionRoutes(sessionDeps),
      ...deviceRoutes(sessionDeps),
      ...ownSessionRoutes(sessionDeps),
      ...emailProofRoutes,
      ...tokenRoutes,
      ...agentRoutes(cursors),
      ...adminRoutes,
      ...platformAuditRoutes,
      ...erasureRoutes({ ...sessionDeps, grace_days: config.ERASURE_GRACE_DAYS }),
    ],
    plain_routes: oauthRoutes({
      origin: callers.own_origin.origin,
      callers,
      sessions: sessionDeps,
      tries_per_address: config.AUTH_TRIES_PER_ADDRESS,
    }),
    jobs: [
      ...platformAuditJobs(config.RETENTION_AUDIT_MONTHS),
      ...emailProofJobs(sessionDeps),
      ...accountLetterJobs(sessionDeps),
      ...erasureJobs({ parts: ports.of(erasureParts), settle_seconds: config.ERASURE_SETTLE_SECONDS }),
    ],
    fills: [fill(erasureParts, identityErasure), fill(sweeps, ...identitySweeps)],
    authenticate,
    ensureStaff: (ctx, given) => ensureStaff(ctx, new_people, given),
  }
}
