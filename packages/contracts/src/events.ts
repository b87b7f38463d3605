import { z } from 'zod'
import { actions } from './boards/activity.ts'
import { indexStages } from './code-index/index-state.ts'
import { sourceTypes } from './conversations/sources.ts'
import { deskStates } from './fleet/desk.ts'
import { buildSteps, hireStatuses, stepStatuses } from './hires/hires.ts'
import { AgentId, agentOrigins } from './identity/agents.ts'
import { installStates } from './marketplace/installs.ts'
import { memoryKinds, memoryStatuses } from './memory/fields.ts'
import type { Scope } from './scopes.ts'
import { Timestamp, Uuid } from './wire.ts'

interface EventSpec {
  /** The kind of the subject. */
  readonly subject: string
  /** The scope a token needs to receive it: that of the route that reads the subject. */
  readonly scope: Scope
  readonly summary: string
  /**
   * Ids and fixed values, never names, addresses or texts: events are stored and sent to others, and must not preserve
   * what is erased elsewhere.
   */
  readonly data: z.ZodType
}

const event = <const S extends EventSpec>(spec: S): S => spec

const aboutMemory = (summary: string) =>
  event({
    subject: 'memory',
    scope: 'memory:read',
    summary,
    data: z.strictObject({
      agent_id: AgentId,
      kind: z.enum(memoryKinds),
      status: z.enum(memoryStatuses),
      version: z.int(),
    }),
  })

const aboutProject = (summary: string) =>
  event({
    subject: 'project',
    scope: 'code:read',
    summary,
    data: z.strictObject({ project_id: Uuid }),
  })

const aboutDesk = (summary: string) =>
  event({
    subject: 'desk',
    scope: 'brand:read',
    summary,
    data: z.strictObject({ workstation_id: Uuid, status: z.enum(deskStates) }),
  })

const aboutInstall = (summary: string) =>
  event({
    subject: 'install',
    scope: 'brand:read',
    summary,
    data: z.strictObject({ install_id: Uuid, state: z.enum(installStates), enabled: z.boolean() }),
  })

const hireFacts = { hire_id: Uuid, profile_id: Uuid, status: z.enum(hireStatuses) }
const aboutHire = <const More extends z.ZodRawShape>(summary: string, more: More) =>
  event({
    subject: 'hire',
    scope: 'brand:read',
    summary,
    data: z.strictObject({ ...hireFacts, ...more }),
  })

/** Events outside boards. Modules add entries; none is ever renamed. */
export const workspaceEvents = {
  'member.added': event({
    subject: 'member',
    scope: 'brand:read',
    summary: 'A person joined the workspace, including a guest who became a member',
    data: z.strictObject({
      user_id: z.int(),
      role: z.enum(['admin', 'member']),
      via: z.enum(['invitation', 'platform_admin']),
    }),
  }),
  'agent.created': event({
    subject: 'agent',
    scope: 'brand:read',
    summary: 'An agent was created in the workspace',
    data: z.strictObject({ agent_id: AgentId, origin: z.enum(agentOrigins) }),
  }),
  'agent.renamed': event({
    subject: 'agent',
    scope: 'brand:read',
    summary: 'An agent was renamed',
    data: z.strictObject({ agent_id: AgentId }),
  }),
  'agent.retired': event({
    subject: 'agent',
    scope: 'brand:read',
    summary: 'An agent was retired and its tokens were revoked',
    data: z.strictObject({ agent_id: AgentId }),
  }),
  'memory.created': aboutMemory('A memory of an agent was created'),
  'memory.updated': aboutMemory('A memory was changed, verified, or returned to an earlier version'),
  'memory.deleted': aboutMemory('A memory was deleted'),
  'memory.restored': aboutMemory('A deleted memory was brought back'),
  'source.paused': event({
    subject: 'source',
    scope: 'memory:read',
    summary: 'A source of conversations was paused',
    data: z.strictObject({ agent_id: AgentId, source_type: z.enum(sourceTypes) }),
  }),
  'conversation.failed': event({
    subject: 'conversation',
    scope: 'memory:read',
    summary: 'A conversation could not be read in five attempts',
    data: z.strictObject({ source_id: Uuid, agent_id: AgentId, attempts: z.int() }),
  }),
  'memory.conflict': event({
    subject: 'memory',
    scope: 'memory:read',
    summary: 'Something newer contradicts a memory, and a person has to decide',
    data: z.strictObject({ agent_id: AgentId, proposal_id: Uuid, other_memory_id: Uuid.nullable() }),
  }),
  'project.created': aboutProject('A project was created'),
  'project.renamed': aboutProject('A project was renamed'),
  'project.archived': aboutProject('A project was archived'),
  'project.restored': aboutProject('An archived project was restored'),
  'repository.attached': aboutProject('A repository was attached to a project, or its settings were changed'),
  'index.progressed': event({
    subject: 'project',
    scope: 'code:read',
    summary: 'A run has reached its next stage; at most one event for each',
    data: z.strictObject({
      project_id: Uuid,
      stage: z.enum(indexStages),
      files_done: z.int(),
      files_total: z.int(),
    }),
  }),
  'index.finished': aboutProject('A run has indexed the code of a project, or found nothing new'),
  'index.failed': aboutProject('A run could not index the code of a project'),
  'desk.ordered': aboutDesk('A desk was ordered'),
  'desk.changed': aboutDesk('The name, the description, the agent or the photo of a desk was changed'),
  'desk.suspended': aboutDesk('A desk was suspended'),
  'desk.resumed': aboutDesk('A suspended desk was resumed'),
  'desk.repointed': aboutDesk('The address of the sidecar of a desk was changed'),
  'desk.token_replaced': aboutDesk('The token of a desk was replaced'),
  'desk.registered': aboutDesk('A machine has joined as a desk'),
  'desk.join_refused': aboutDesk('A second machine tried to join with the token of a desk'),
  'desk.quarantined': aboutDesk('Two machines use the key of a desk, so neither is heard'),
  'desk.reached': aboutDesk('A desk has answered a health check and is ready'),
  'desk.lost': aboutDesk('A desk has missed three health checks in a row'),
  'desk.flapping': aboutDesk(
    'The status of a desk has changed four times in ten minutes; further changes are not announced until it has been the same for ten minutes',
  ),
  'desk.updated': aboutDesk('The sidecar of a desk was updated, and the desk runs the new version'),
  'desk.update_failed': aboutDesk('An update of a desk has failed; its list of updates has the reason'),
  'desk.released': aboutDesk('A desk was released'),
  'install.created': aboutInstall('A package was installed'),
  'install.adopted': aboutInstall('A package that came with a hire was installed by the workspace'),
  'install.granted': aboutInstall('Who may use an installed package has changed'),
  'install.enabled': aboutInstall('An installed package was enabled'),
  'install.disabled': aboutInstall('An installed package was disabled'),
  'install.moved': aboutInstall('An installed package was moved to another version'),
  'install.credential_replaced': aboutInstall('The credential of an installed package was replaced'),
  'install.changed': aboutInstall(
    'The server of a package offers other tools, which an admin has to approve',
  ),
  'install.approved': aboutInstall('The tools of an installed package are available again'),
  'install.removed': aboutInstall('A package was uninstalled'),
  'hire.requested': aboutHire('An employee was hired, and its agent is being built', {}),
  'hire.step': aboutHire('A step of the build of a hire is done, or was skipped', {
    step: z.enum(buildSteps),
    step_status: z.enum(stepStatuses),
  }),
  'hire.build_failed': aboutHire('A step of the build of a hire has failed and will be repeated', {
    step: z.enum(buildSteps),
    failures: z.int(),
  }),
  'hire.active': aboutHire('The agent of a hire is built and works', { agent_id: AgentId }),
  'hire.canceled': aboutHire('A hire was canceled, now or at the end of its period', {
    cancel_at_period_end: z.boolean(),
  }),
  'hire.renewed': aboutHire('The next period of a hire has begun', { periods: z.int() }),
  'hire.ended': aboutHire('The tools of a canceled hire were taken away', {
    installs_disabled: z.int(),
    installs_retained: z.int(),
  }),
  'repository.detached': aboutProject('The repository of a project was detached'),
} as const satisfies Record<string, EventSpec>

export type WorkspaceEventType = keyof typeof workspaceEvents
export type WorkspaceEventData<T extends WorkspaceEventType> = z.input<(typeof workspaceEvents)[T]['data']>

export const workspaceEventTypes = Object.keys(workspaceEvents) as readonly WorkspaceEventType[]

/** All types that streams and webhooks can subscribe to. */
export const eventTypes = [...actions, ...workspaceEventTypes] as const

/** An event outside boards, as streams and webhooks send it. */
export const WorkspaceEvent = z.object({
  id: z.string(),
  type: z.string(),
  created_at: Timestamp,
  subject: z.object({ kind: z.string(), id: z.string() }),
  /** `id` is that of the person whose credential was used, or the name of the platform's own task. */
  actor: z.object({
    kind: z.enum(['person', 'agent', 'system', 'admin_key', 'nobody', 'desk']),
    id: z.string().nullable(),
  }),
  data: z.record(z.string(), z.unknown()),
})
export type WorkspaceEvent = z.infer<typeof WorkspaceEvent>
