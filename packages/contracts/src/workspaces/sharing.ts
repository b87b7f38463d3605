import { z } from 'zod'
import { Email } from '../identity/sessions.ts'
import { adminToken } from '../route.ts'
import { pageLimit, queryInteger, Timestamp } from '../wire.ts'
import { GuestRole } from './guests.ts'

const largestId = 2_147_483_647
export const guestUserId = queryInteger(1, largestId)

/** A person from outside the workspace on one resource. Each kind of resource names the schema in OpenAPI. */
export const resourceGuest = (id: string) =>
  z
    .object({
      user_id: z.int(),
      email: z.string(),
      full_name: z.string(),
      image: z.string().nullable(),
      role: GuestRole,
      added_at: Timestamp,
    })
    .meta({ id })
type GuestSchema = ReturnType<typeof resourceGuest>
export type ResourceGuest = z.infer<GuestSchema>

/** What the four routes of every kind of shared resource have in common. */
export const guestRoutes = (Guest: GuestSchema) =>
  ({
    list: {
      method: 'GET',
      auth: adminToken('brand:admin'),
      example: { query: { limit: '50' } },
      query: z.object({ after: queryInteger(0, largestId).optional(), limit: pageLimit() }),
      responses: { 200: z.object({ guests: z.array(Guest), next_after: z.int().nullable() }) },
    },
    // By e-mail only: with a number, an admin could collect the names of strangers.
    add: {
      method: 'POST',
      auth: adminToken('brand:admin'),
      body: z.object({ email: Email, role: GuestRole }),
      responses: { 201: Guest },
    },
    change: {
      method: 'PATCH',
      auth: adminToken('brand:admin'),
      description: 'Takes effect with the next request of the guest.',
      example: { body: { role: 'editor' } },
      body: z.object({ role: GuestRole }),
      responses: { 200: Guest },
    },
    remove: {
      method: 'DELETE',
      auth: adminToken('brand:admin'),
      description: 'Takes effect with the next request of the guest.',
      responses: { 200: z.object({ removed: z.literal(true) }) },
    },
  }) as const
