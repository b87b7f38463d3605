import { z } from 'zod'
import { adminRequired, brandNotFound, scopeMissing } from '../identity/refusals.ts'
import { refusal } from '../refusal.ts'
import { adminToken, route } from '../route.ts'
import { pageLimit, queryInteger, Timestamp } from '../wire.ts'

/** One change of a setting or a permission. Names are as of the change. */
export const AuditEntry = z
  .object({
    id: z.string(),
    action: z.string(),
    target: z.string(),
    from: z.unknown(),
    to: z.unknown(),
    actor: z.object({
      kind: z.enum(['person', 'admin_key', 'system', 'nobody', 'desk']),
      user_id: z.int().nullable(),
      /** Of a desk, its id. */
      name: z.string().nullable(),
      /** Only if an agent acted for the person. */
      agent: z.string().optional(),
      /** Only if that is an agent of the workspace. */
      agent_id: z.string().optional(),
    }),
    /** The actor's credential; null for the platform itself. */
    credential: z
      .object({ kind: z.enum(['token', 'session', 'admin_key']), id: z.string().nullable() })
      .nullable(),
    /** The `X-Request-Id` of the change. */
    request_id: z.string().nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'AuditEntry' })
export type AuditEntry = z.infer<typeof AuditEntry>

const notACursor = 'must be a next_cursor of this list'
export const unknownCursor = refusal(422, `since: ${notACursor}`)
export const expiredCursor = refusal(
  410,
  'Entries after this cursor have been deleted; start without a cursor',
)

const largestId = 2_147_483_647
const maxPage = 100

export const listAudit = route({
  id: 'workspaces.listAudit',
  method: 'GET',
  path: '/api/v1/brands/{brand_id}/audit',
  summary: 'List the audit log of the workspace',
  description:
    'Each entry has the old and the new value, the person or agent, the credential and the request id. Oldest first, to follow it: pass `next_cursor` as `since` to read on. With `order=newest_first`, `next_cursor` leads to older entries.',
  example: { query: { limit: '50' } },
  auth: adminToken('brand:admin'),
  params: z.object({ brand_id: z.string() }),
  resources: { brand_id: 'brand' },
  missing: brandNotFound,
  query: z.object({
    since: z.string(notACursor).max(300, notACursor).optional(),
    limit: pageLimit(maxPage),
    /** A cursor belongs to the order of its list. */
    order: z.enum(['oldest_first', 'newest_first']).default('oldest_first'),
    /** Only entries by this person. */
    actor: queryInteger(1, largestId).optional(),
    action: z
      .string()
      .regex(/^[a-z_]{1,40}\.[a-z_]{1,40}$/, 'must be an action such as feature.changed')
      .optional(),
  }),
  /** `next_cursor` continues after the last entry; on an empty page it does not move. */
  responses: { 200: z.object({ items: z.array(AuditEntry).max(maxPage), next_cursor: z.string() }) },
  refusals: [brandNotFound, scopeMissing, adminRequired, unknownCursor, expiredCursor],
})
