import { z } from 'zod'

/** MEMO-03: chosen by the workspace, and known only there. */
export const AgentId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,255}$/, 'must be 1 to 255 letters, digits, _ or -')
  .meta({ examples: ['build-bot'] })

export const agentStatuses = ['active', 'retired'] as const
/** Where it comes from: created by an admin, or hired from the catalog. */
export const agentOrigins = ['created', 'hired'] as const
