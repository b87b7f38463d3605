import type { NewPerson } from '#modules/identity'
import { hasLostAudit, listAuditEntries } from '#platform/audit/audit-list.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import type { MountedRoute } from '#platform/http/handle.ts'
import type { Images } from '#platform/images/images.ts'
import type { MountedJob } from '#platform/jobs/job-handler.ts'
import type { Sweep } from '#platform/jobs/sweep.ts'
import type { Mail } from '#platform/mail/mail.ts'
import type { Storage } from '#platform/storage/storage.ts'
import type { Config } from '../../config.ts'
import { auditRoutes } from './audit/audit.routes.ts'
import { featureRoutes } from './features/features.routes.ts'
import { guestRoutes } from './guests/guests.routes.ts'
import { invitationSweeps } from './invitations/invitation-sweeps.service.ts'
import { invitationJobs } from './invitations/invitations.jobs.ts'
import { invitationRoutes } from './invitations/invitations.routes.ts'
import { memberJobs } from './members/members.jobs.ts'
import { memberRoutes } from './members/members.routes.ts'
import { photoJobs } from './photos/photos.jobs.ts'
import { photoRoutes } from './photos/photos.routes.ts'
import type { FeatureHoldings, GuestAccess } from './workspaces.ports.ts'

interface Deps {
  /** Filled by modules to the right, after this one was made. */
  readonly holdings: readonly FeatureHoldings[]
  readonly guest_access: readonly GuestAccess[]
  /** Told of people who come by an invitation. */
  readonly new_people: readonly NewPerson[]
  readonly cursors: Cursors
  readonly storage: Storage
  readonly images: Images
  readonly mail: Mail
  readonly config: Pick<Config, 'PUBLIC_URL' | 'SIGN_UP'>
}

export function createWorkspaces(deps: Deps): {
  routes: readonly MountedRoute[]
  jobs: readonly MountedJob[]
  sweeps: readonly Sweep[]
} {
  const mailing = {
    guest_access: deps.guest_access,
    mail: deps.mail,
    public_url: deps.config.PUBLIC_URL.replace(/\/$/, ''),
  }
  return {
    routes: [
      ...featureRoutes(deps),
      ...auditRoutes({ ...deps, listAuditEntries, hasLostAudit }),
      ...memberRoutes(mailing),
      ...invitationRoutes(deps),
      ...photoRoutes(deps),
      ...guestRoutes(deps),
    ],
    sweeps: invitationSweeps,
    jobs: [...memberJobs(mailing), ...invitationJobs(mailing), ...photoJobs(deps.storage)],
  }
}
