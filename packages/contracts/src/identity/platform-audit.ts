import { z } from 'zod'
import { job } from '../job.ts'
import { platformAdmin, route } from '../route.ts'
import { pageLimit, queryInteger, Timestamp } from '../wire.ts'
import { platformAdminRequired } from './refusals.ts'

/** What concerns no workspace, or a person in all of theirs. Ids and no names: people may be gone. */
export const PlatformEntry = z
  .object({
    id: z.string(),
    action: z.string(),
    /** Whom it is about. */
    person_id: z.int().nullable(),
    from: z.unknown(),
    to: z.unknown(),
    actor: z.object({
      kind: z.enum(['person', 'admin_key', 'system', 'nobody']),
      person_id: z.int().nullable(),
    }),
    /** Only where somebody guessed passwords: the network it came from. */
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
  summary: 'Sign-ins, resets, platform admins and plans of the installation, newest first',
  description:
    'What concerns no workspace, or a person in all of theirs; the audit of a workspace tells the rest. Holds ids, no names and no mail addresses. Pass `next_before` of one page as `before` of the next; it is null on the last page.',
  example: { query: { limit: '50' } },
  auth: platformAdmin(),
  query: z.object({
    before: queryInteger(1, largestEntry).optional(),
    limit: pageLimit(maxPage),
    /** Only what is about this person. */
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
