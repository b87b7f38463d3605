import { newPeople } from '#modules/identity'
import { hasLostAudit, listAuditEntries } from '#platform/audit/audit-list.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import type { Images } from '#platform/images/images.ts'
import { sweeps } from '#platform/jobs/sweep.ts'
import type { Mail } from '#platform/mail/mail.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill, type Ports } from '#platform/modules/port.ts'
import { createPictureObjects } from '#platform/storage/picture-objects.ts'
import type { Storage } from '#platform/storage/storage.ts'
import type { Config } from '../../config.ts'
import { auditRoutes } from './audit/audit.routes.ts'
import { erasePersonFromWorkspaces, rowsOfBrand } from './erasure/erase-workspaces.service.ts'
import { featureRoutes } from './features/features.routes.ts'
import { guestJobs } from './guests/guests.jobs.ts'
import { guestRoutes } from './guests/guests.routes.ts'
import { invitationSweeps } from './invitations/invitation-sweeps.service.ts'
import { invitationJobs } from './invitations/invitations.jobs.ts'
import { invitationRoutes } from './invitations/invitations.routes.ts'
import { memberJobs } from './members/members.jobs.ts'
import { memberRoutes } from './members/members.routes.ts'
import { photoJobs } from './photos/photos.jobs.ts'
import { photoRoutes } from './photos/photos.routes.ts'
import { featureHoldings, guestAccess } from './workspaces.ports.ts'

interface Deps {
  readonly ports: Ports
  readonly cursors: Cursors
  readonly storage: Storage
  readonly images: Images
  readonly mail: Mail
  readonly config: Pick<
    Config,
    'PUBLIC_URL' | 'SERVICE_NAME' | 'SIGN_UP' | 'LETTERS_PER_WORKSPACE' | 'LETTERS_PER_ADDRESS'
  >
}

export function createWorkspaces(parts: Deps): Module {
  const { config, mail, ports } = parts
  const deps = {
    ...parts,
    objects: createPictureObjects(parts.storage, 'member-photos'),
    holdings: ports.of(featureHoldings),
    guest_access: ports.of(guestAccess),
    new_people: ports.of(newPeople),
  }
  const limits = { per_workspace: config.LETTERS_PER_WORKSPACE, per_address: config.LETTERS_PER_ADDRESS }
  const sender = { service_name: config.SERVICE_NAME, public_url: config.PUBLIC_URL.replace(/\/$/, '') }
  const mailing = { guest_access: deps.guest_access, mail, sender, limits }
  return {
    routes: [
      ...featureRoutes(deps),
      ...auditRoutes({ ...deps, listAuditEntries, hasLostAudit }),
      ...memberRoutes(mailing),
      ...invitationRoutes({ ...deps, limits }),
      ...photoRoutes(deps),
      ...guestRoutes({ ...deps, limits }),
    ],
    jobs: [
      ...memberJobs(mailing),
      ...invitationJobs(mailing),
      ...guestJobs(mailing),
      ...photoJobs(deps.objects),
    ],
    fills: [
      fill(sweeps, ...invitationSweeps),
      fill(erasureParts, {
        part: 'workspaces',
        person: erasePersonFromWorkspaces(deps.objects),
        brand: emptying(deps.objects.dropAllOf, ...rowsOfBrand),
      }),
    ],
  }
}
