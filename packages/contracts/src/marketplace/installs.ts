import { z } from 'zod'
import { AgentId } from '../identity/agents.ts'
import { adminToken, route, token } from '../route.ts'
import { Timestamp, text, Uuid } from '../wire.ts'
import { PackageKey, PackageVersion, packageKinds } from './packages.ts'
import * as refused from './refusals.ts'

/** `hire`: installed for hires alone, and disabled with the last of them, unless the workspace has changed it since. */
export const installOrigins = ['workspace', 'hire'] as const
/** `changed`: its server offers other tools than those pinned, and none is available until an admin approves them. */
export const installStates = ['active', 'changed'] as const

/** A tool of another server, as it was when it was approved. */
export const PinnedTool = z
  .object({
    name: z.string(),
    title: z.string().nullable(),
    description: z.string(),
    /** JSON Schema. */
    input_schema: z.record(z.string(), z.unknown()),
    /** What the server says of it. Claims, not facts. */
    hints: z.object({ read_only: z.boolean(), destructive: z.boolean(), idempotent: z.boolean() }),
  })
  .meta({ id: 'PinnedTool' })
export type PinnedTool = z.infer<typeof PinnedTool>

export const Install = z
  .object({
    id: Uuid,
    package_key: z.string(),
    kind: z.enum(packageKinds),
    version: z.string(),
    enabled: z.boolean(),
    origin: z.enum(installOrigins),
    state: z.enum(installStates),
    /** Whether every caller of the workspace may use it. */
    everyone: z.boolean(),
    /** How many agents it is granted to by name. */
    agent_count: z.int(),
    /** How many hires use it. */
    hire_count: z.int(),
    has_credential: z.boolean(),
    tool_count: z.int(),
    /** When its server was last asked for its tools. */
    checked_at: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Install' })
export type Install = z.infer<typeof Install>

export const InstallDetails = Install.extend({
  agent_ids: z.array(z.string()).max(refused.maxGrantedAgents),
  /** Those that may be called. Empty for built-in packages, whose tools are those of the version. */
  tools: z.array(PinnedTool).max(refused.maxPinnedTools),
  /** What waits for approval; null unless `state` is `changed`. */
  found: z.object({ digest: z.string(), tools: z.array(PinnedTool).max(refused.maxPinnedTools) }).nullable(),
}).meta({ id: 'InstallDetails' })
export type InstallDetails = z.infer<typeof InstallDetails>

const grants = {
  everyone: z.boolean(),
  agent_ids: z.array(AgentId).max(refused.maxGrantedAgents),
}
const credential = z.string().min(1).max(4000)

/** The server of a package is waited for. */
const listing = { deadline_ms: 12_000 } as const

const members = { auth: token('brand:read') } as const
const admins = { auth: adminToken('brand:admin') } as const
const one = {
  params: z.object({ install_id: Uuid }),
  resources: { install_id: 'install' },
  missing: refused.installNotFound,
} as const

export const listInstalls = route({
  ...members,
  id: 'marketplace.listInstalls',
  method: 'GET',
  path: '/api/v1/marketplace/installs',
  summary: 'List the installed packages of the workspace, by key',
  description: 'At most 50. Credentials are never returned.',
  responses: { 200: z.object({ items: z.array(Install).max(refused.maxInstalls) }) },
})

export const getInstall = route({
  ...members,
  ...one,
  id: 'marketplace.getInstall',
  method: 'GET',
  path: '/api/v1/marketplace/installs/{install_id}',
  summary: 'Get an installed package with its tools',
  description:
    'While `state` is `changed`, `found` has the tools that its server offers now; none is available until an admin approves them.',
  responses: { 200: InstallDetails },
  refusals: [refused.installNotFound],
})

export const installPackage = route({
  ...admins,
  ...listing,
  id: 'marketplace.installPackage',
  method: 'POST',
  path: '/api/v1/marketplace/installs',
  summary: 'Install a package',
  description:
    'Without `version`, the latest. For an `http` package its server is asked for its tools, and these are pinned: other tools need approval. `credential` is stored encrypted and never returned. Without `everyone` and `agent_ids` nobody may use it yet. A package that was installed for a hire becomes one of the workspace.',
  example: { body: { package_key: 'boards', everyone: true } },
  takes_secret: true,
  resources: { 'body.agent_ids': 'agent' },
  body: z.object({
    package_key: PackageKey,
    version: PackageVersion.optional(),
    credential: credential.optional(),
    everyone: grants.everyone.optional(),
    agent_ids: grants.agent_ids.optional(),
  }),
  responses: { 201: InstallDetails },
  refusals: [
    refused.packageNotFound,
    refused.versionNotFound,
    refused.versionWithdrawn,
    refused.alreadyInstalled,
    refused.tooManyInstalls,
    refused.credentialRequired,
    refused.credentialUnused,
    refused.agentsUnknown,
  ],
})

export const changeGrants = route({
  ...admins,
  ...one,
  id: 'marketplace.changeGrants',
  method: 'PUT',
  path: '/api/v1/marketplace/installs/{install_id}/grants',
  summary: 'Say who may use an installed package',
  description:
    'Replaces what was said before. Whoever is left out loses its tools, usually within a second and within a minute at the latest. Agents of hires keep what their hire needs.',
  example: { body: { everyone: false, agent_ids: [] } },
  dry_run: true,
  resources: { install_id: 'install', 'body.agent_ids': 'agent' },
  body: z.object(grants),
  responses: { 200: InstallDetails },
  refusals: [refused.installNotFound, refused.agentsUnknown],
})

export const changeCredential = route({
  ...admins,
  ...one,
  id: 'marketplace.changeCredential',
  method: 'PUT',
  path: '/api/v1/marketplace/installs/{install_id}/credential',
  summary: 'Replace the credential of an installed package',
  description: 'Null removes it. The next call of a tool uses the new one.',
  example: { body: { credential: null } },
  takes_secret: true,
  body: z.object({ credential: credential.nullable() }),
  responses: { 200: InstallDetails },
  refusals: [refused.installNotFound, refused.credentialRequired, refused.credentialUnused],
})

export const changeVersion = route({
  ...admins,
  ...one,
  ...listing,
  id: 'marketplace.changeVersion',
  method: 'PUT',
  path: '/api/v1/marketplace/installs/{install_id}/version',
  summary: 'Move an installed package to another version',
  description:
    'For an `http` package the server of that version is asked for its tools, and these are pinned. Grants and credential stay. A credential goes to no server at another address: that is refused with 409.',
  example: { body: { version: '1.0.0' } },
  body: z.object({ version: PackageVersion }),
  responses: { 200: InstallDetails },
  refusals: [
    refused.installNotFound,
    refused.versionNotFound,
    refused.versionWithdrawn,
    refused.credentialRequired,
    refused.credentialOfOtherServer,
  ],
})

export const disableInstall = route({
  ...admins,
  ...one,
  id: 'marketplace.disableInstall',
  method: 'POST',
  path: '/api/v1/marketplace/installs/{install_id}/disable',
  summary: 'Disable an installed package',
  description:
    'Its tools disappear, usually within a second and within a minute at the latest. Nothing is deleted.',
  dry_run: true,
  responses: { 200: InstallDetails },
  refusals: [refused.installNotFound],
})

export const enableInstall = route({
  ...admins,
  ...one,
  id: 'marketplace.enableInstall',
  method: 'POST',
  path: '/api/v1/marketplace/installs/{install_id}/enable',
  summary: 'Enable a disabled package',
  description: 'With the tools and the grants that it had.',
  dry_run: true,
  responses: { 200: InstallDetails },
  refusals: [refused.installNotFound],
})

export const approveTools = route({
  ...admins,
  ...one,
  id: 'marketplace.approveTools',
  method: 'POST',
  path: '/api/v1/marketplace/installs/{install_id}:approve',
  summary: 'Approve the changed tools of an installed package',
  description:
    '`digest` is `found.digest` of the install, so that nothing is approved that nobody has seen. The tools of `found` are pinned and available at once.',
  example: { body: { digest: 'a'.repeat(64) } },
  dry_run: true,
  body: z.object({ digest: text(1, 64) }),
  responses: { 200: InstallDetails },
  refusals: [refused.installNotFound, refused.nothingToApprove, refused.approvalOutdated],
})

export const uninstallPackage = route({
  ...admins,
  ...one,
  id: 'marketplace.uninstallPackage',
  method: 'DELETE',
  path: '/api/v1/marketplace/installs/{install_id}',
  summary: 'Uninstall a package',
  description:
    'Its credential, its grants and its pinned tools are deleted. A package that a hire uses can only be disabled.',
  dry_run: true,
  responses: { 200: z.object({ success: z.literal(true) }) },
  refusals: [refused.installNotFound, refused.installInUse],
})
