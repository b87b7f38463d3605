import { z } from 'zod'
import { job } from '../job.ts'
import { platformAdmin, route } from '../route.ts'
import { pageLimit, queryInteger, Timestamp } from '../wire.ts'
import { platformAdminRequired } from './refusals.ts'

/** Events that concern no single workspace. Ids only, no names: people may have been erased. */
export const PlatformEntry = z
  .object({
    id: z.string(),
    action: z.string(),
    /** The person concerned. */
    person_id: z.int().nullable(),
    from: z.unknown(),
    to: z.unknown(),
    actor: z.object({
      kind: z.enum(['person', 'admin_key', 'system', 'nobody']),
      person_id: z.int().nullable(),
    }),
    /** Only for failed sign-ins: the network they came from. */
    network: z.string().nullable(),
    /** The `X-Request-Id` of the change. */
    request_id: z.string().nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'PlatformEntry' })
export type PlatformEntry = z.infer<typeof PlatformEntry>

const maxPage = 100
const largestId = 2_147_483_647
const largestEntry = 1_000_000_000_000_000

export const listPlatformAudit = route({
  id: 'identity.listPlatformAudit',
  method: 'GET',
  path: '/api/v1/admin/audit',
  summary: 'List the audit log of the installation, newest first',
  description:
    'Sign-ins, password resets, platform admins, plans, packages and employees of the catalog: events that concern no single workspace. Events of a workspace are in its own audit log. Contains ids only, no names or e-mail addresses. Pass `next_before` of one page as `before` of the next; it is null on the last page.',
  example: { query: { limit: '50' } },
  auth: platformAdmin(),
  query: z.object({
    before: queryInteger(1, largestEntry).optional(),
    limit: pageLimit(maxPage),
    /** Only entries about this person. */
    person: queryInteger(1, largestId).optional(),
  }),
  /** `next_before` is the `before` of the next page; null when this is the last one. */
  responses: {
    200: z.object({ items: z.array(PlatformEntry).max(maxPage), next_before: z.int().nullable() }),
  },
  refusals: [platformAdminRequired],
})

/** Entries past RETENTION_AUDIT_MONTHS. */
export const sweepPlatformEntries = job({
  name: 'identity.sweep-platform-entries',
  payload: z.object({}),
  cron: '29 2 * * *',
})
