import { z } from 'zod'
import { actions } from './boards/activity.ts'
import type { Scope } from './scopes.ts'
import { Timestamp } from './wire.ts'

interface EventSpec {
  /** What kind of thing it happened to. */
  readonly subject: string
  /** What a token needs to be told of it: the scope of the route that reads the subject. */
  readonly scope: Scope
  readonly summary: string
  /**
   * Ids and words of the interface, never names, addresses or texts: events are kept and sent to others, and what is
   * erased elsewhere must not live on in them.
   */
  readonly data: z.ZodType
}

const event = <const S extends EventSpec>(spec: S): S => spec

/** What may happen outside of boards. A module adds an entry; none is ever renamed. */
export const workspaceEvents = {
  'member.added': event({
    subject: 'member',
    scope: 'brand:read',
    summary: 'Somebody joined the workspace; a guest who became a member has joined as well',
    data: z.strictObject({
      user_id: z.int(),
      role: z.enum(['admin', 'member']),
      via: z.enum(['invitation', 'platform_admin']),
    }),
  }),
} as const satisfies Record<string, EventSpec>

export type WorkspaceEventType = keyof typeof workspaceEvents
export type WorkspaceEventData<T extends WorkspaceEventType> = z.input<(typeof workspaceEvents)[T]['data']>

export const workspaceEventTypes = Object.keys(workspaceEvents) as readonly WorkspaceEventType[]

/** Everything a stream or a webhook may ask for. */
export const eventTypes = [...actions, ...workspaceEventTypes] as const

/** An event outside of boards, as streams and webhooks tell it. */
export const WorkspaceEvent = z.object({
  id: z.string(),
  type: z.string(),
  created_at: Timestamp,
  subject: z.object({ kind: z.string(), id: z.string() }),
  /** `id` is that of the person whose credential was used, or the name of what the platform did by itself. */
  actor: z.object({
    kind: z.enum(['person', 'agent', 'system', 'admin_key', 'nobody']),
    id: z.string().nullable(),
  }),
  data: z.record(z.string(), z.unknown()),
})
export type WorkspaceEvent = z.infer<typeof WorkspaceEvent>
