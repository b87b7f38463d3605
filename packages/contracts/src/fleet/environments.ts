import { z } from 'zod'
import { AgentId } from '../identity/agents.ts'
import { agentNotOwned, agentRetired } from '../identity/refusals.ts'
import { route, session } from '../route.ts'
import { Timestamp, Uuid } from '../wire.ts'
import { DeskDescription, DeskName, environmentStatuses, oneDesk, runtimes } from './desk.ts'
import * as refused from './refusals.ts'

const maxUrl = 500

/** ENV-15 to ENV-22, ENV-G7. */
export const Environment = z
  .object({
    id: Uuid,
    brand_id: z.int(),
    short_id: z.string().meta({ maxLength: 12 }),
    name: z.string().meta({ maxLength: 255 }),
    description: z.string().meta({ maxLength: 500 }).nullable(),
    runtime: z.enum(runtimes),
    /** The states of a desk as the environment names them. */
    status: z.enum(environmentStatuses),
    /** Where the sidecar is asked how it is; null until the desk has registered. */
    sidecar_url: z.string().meta({ maxLength: maxUrl }).nullable(),
    /** The agent whose memories the desk keeps in its MEMORY.md. */
    agent_id: z.string().meta({ maxLength: 255 }).nullable(),
    /** The repository that a desk of a hired builder works on. */
    project_id: Uuid.nullable(),
    region: z.string().meta({ maxLength: 100 }).nullable(),
    vps_provider: z.string().meta({ maxLength: 100 }).nullable(),
    /** Files that the desk has still to send, as last told. */
    pending_sync_count: z.int().min(0),
    image_url: z.string().nullable(),
    /** From the last health check; null until the desk was heard. */
    sidecar_version: z.string().meta({ maxLength: 100 }).nullable(),
    /** Tells two desks with one version apart; null before version 0.2.10. */
    sidecar_code_digest: z.string().meta({ maxLength: 100 }).nullable(),
    /** When version or digest last changed; null until a change was seen. */
    last_upgrade_at: Timestamp.nullable(),
    /** Fixed when the desk is ordered. */
    workspace_path: z.string().meta({ maxLength: 200 }),
    last_seen_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: 'Environment' })
export type Environment = z.infer<typeof Environment>

/** ENV-11, ENV-G1: the message names all four; the poller alone sets the other two. */
const statusRule = `must be one of ${environmentStatuses.join(', ')}; only provisioned and suspended can be set`

export const EnvironmentChange = z
  .object({
    name: DeskName.optional(),
    description: DeskDescription.optional(),
    status: z.enum(['provisioned', 'suspended'], { error: statusRule }).optional(),
    sidecar_url: z.string().max(maxUrl).optional(),
    /** Null takes it away. */
    agent_id: AgentId.nullable().optional(),
  })
  .default({})
export type EnvironmentChange = z.infer<typeof EnvironmentChange>

export const changeEnvironment = route({
  ...oneDesk,
  id: 'fleet.changeEnvironment',
  method: 'PATCH',
  path: '/api/v1/environments/{workstation_id}',
  summary: 'Change, suspend, resume or repoint a desk',
  description:
    'Changes only the fields sent. `status` `suspended` pauses the desk: it is not checked, and the status holds. `provisioned` resumes it; a desk that is not suspended stays as it is. `sidecar_url` repoints the desk to another address of its network, and its health starts anew. `agent_id` names the agent whose memories the desk keeps in its MEMORY.md. Other fields are ignored.',
  example: { body: { description: 'Builds the web shop', status: 'suspended' } },
  auth: session(),
  resources: { ...oneDesk.resources, 'body.agent_id': 'agent' },
  body: EnvironmentChange,
  responses: { 200: Environment },
  refusals: [refused.deskNotFound, refused.sidecarUrlRefused, agentNotOwned, agentRetired],
})

export const maxExpired = 200

export const getReauthStatus = route({
  id: 'fleet.getReauthStatus',
  method: 'GET',
  path: '/api/v1/environments/credentials/reauth-status',
  summary: 'Get the desks whose login has expired',
  description:
    '`checked` counts the desks whose login was read, suspended ones included, as last reported; `dormant` those that were skipped. Together they are all desks of the workspace. `expired` names at most 200 desks, the newest first; `expired_count` counts all.',
  auth: session(),
  responses: {
    200: z.object({
      checked: z.int().min(0),
      dormant: z.int().min(0),
      expired_count: z.int().min(0),
      expired: z
        .array(
          z.object({
            workstation_id: Uuid,
            name: z.string().meta({ maxLength: 255 }),
            runtime: z.enum(runtimes),
          }),
        )
        .max(maxExpired),
    }),
  },
})
