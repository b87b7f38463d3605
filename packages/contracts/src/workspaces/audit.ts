import { z } from 'zod'
import { adminRequired, brandNotFound, scopeMissing } from '../identity/refusals.ts'
import { refusal } from '../refusal.ts'
import { adminToken, route } from '../route.ts'
import { pageLimit, queryInteger, Timestamp } from '../wire.ts'

/** One change of a setting or a right. Names are those of the day of the change. */
export const AuditEntry = z
  .object({
    id: z.string(),
    action: z.string(),
    target: z.string(),
    from: z.unknown(),
    to: z.unknown(),
    actor: z.object({
      kind: z.enum(['person', 'admin_key', 'system', 'nobody']),
      user_id: z.int().nullable(),
      name: z.string().nullable(),
      /** Only where an agent acted for the person. */
      agent: z.string().optional(),
    }),
    /** What the actor showed; null for the platform's own work. */
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
export const expiredCursor = refusal(410, 'The entries after this cursor are no longer kept; read without it')

const largestId = 2_147_483_647
const maxPage = 100

export const listAudit = route({
  id: 'workspaces.listAudit',
  method: 'GET',
  path: '/api/v1/brands/{brand_id}/audit',
  summary: 'Who changed which setting of the workspace, oldest first after the cursor',
  description:
    'Each entry has the old and the new value, the person or agent, the credential and the request id. Keep `next_cursor` and pass it as `since` to read on.',
  example: { query: { limit: '50' } },
  auth: adminToken('brand:admin'),
  params: z.object({ brand_id: z.string() }),
  resources: { brand_id: 'brand' },
  missing: brandNotFound,
  query: z.object({
    since: z.string(notACursor).max(300, notACursor).optional(),
    limit: pageLimit(maxPage),
    /** Only what this person did. */
    actor: queryInteger(1, largestId).optional(),
    action: z
      .string()
      .regex(/^[a-z_]{1,40}\.[a-z_]{1,40}$/, 'must be an action such as feature.changed')
      .optional(),
  }),
  /** `next_cursor` continues behind the last entry; on an empty page it is where the reader stood already. */
  responses: { 200: z.object({ items: z.array(AuditEntry).max(maxPage), next_cursor: z.string() }) },
  refusals: [brandNotFound, scopeMissing, adminRequired, unknownCursor, expiredCursor],
})
