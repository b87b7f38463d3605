import { agentNotFound } from '@crewhall/contracts/identity/refusals.ts'
import { Refusal } from '@crewhall/contracts/refusal.ts'
import { isRead } from '@crewhall/contracts/route.ts'
import { definitionOf, type ToolDefinition } from '@crewhall/contracts/tools/definitions.ts'
import { methodsOf } from '@crewhall/contracts/tools/packages.ts'
import type { BuiltInPackage, Tool, ToolAction } from '@crewhall/contracts/tools/tool.ts'
import { tools } from '@crewhall/contracts/tools/tools.ts'
import type { BrandCtx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { Inside } from '#platform/http/inside.ts'
import { agentOf, type GrantedTools } from './granted.service.ts'
import type { GrantedPackage, OutsideTool } from './proxied/outside-tools.rules.ts'
import { chosenTools } from './toolsets.rules.ts'

/** Which of the three addresses was called. */
export type Address =
  | { readonly kind: 'all' }
  | { readonly kind: 'readonly' }
  | { readonly kind: 'agent'; readonly agent_id: string }

/** What one caller has at one address. */
export interface View {
  readonly ctx: OutsideBrandCtx
  readonly tools: readonly Tool[]
  readonly outside: readonly OutsideTool[]
  /** Whether an action is there at all. Whether the credential is good for it is for its route to say. */
  has(tool: Tool, action: ToolAction): boolean
  /** Whether it is there and the route would let the caller in. */
  shows(tool: Tool, action: ToolAction): boolean
}

/** The address of an agent is there for its own tokens only. */
export function checkAddress(ctx: BrandCtx, address: Address): void {
  if (address.kind === 'agent' && address.agent_id !== agentOf(ctx)) throw agentNotFound()
}

export function viewOf(
  ctx: OutsideBrandCtx,
  inside: Inside,
  address: Address,
  toolsets: string | undefined,
  granted: GrantedTools,
): View {
  checkAddress(ctx, address)
  const keys = granted.packages.map(({ package_key }) => package_key)
  const chosen = chosenTools(tools, toolsets, keys)
  if ('unknown' in chosen)
    throw new Refusal(400, `toolsets: ${chosen.unknown} is unknown; there are ${chosen.names.join(', ')}`)
  const { packages } = chosen
  const isGranted = address.kind === 'agent' ? grantedActions(granted.packages) : () => true
  const has = (tool: Tool, action: ToolAction) =>
    isGranted(tool, action) && (address.kind !== 'readonly' || isRead(action.route))
  const isThere = (tool: Tool) =>
    tool.actions.length === 0 || tool.actions.some((action) => isGranted(tool, action))
  return {
    ctx,
    tools: chosen.tools.filter(isThere),
    // Nobody knows of a tool of somebody else that it only reads.
    outside:
      address.kind === 'readonly'
        ? []
        : granted.outside.filter((tool) => packages === 'all' || packages.has(tool.package.package_key)),
    has,
    shows: (tool, action) => has(tool, action) && inside.permits(ctx, action.route),
  }
}

/** What an agent has of the product: the methods of the installed versions, and what every caller has. */
function grantedActions(granted: readonly GrantedPackage[]): (tool: Tool, action: ToolAction) => boolean {
  const methods = new Set(
    granted
      .filter(({ kind }) => kind === 'builtin')
      .flatMap(({ package_key, version }) => [...routesOf(package_key as BuiltInPackage, version)]),
  )
  return (tool, { method, route }) =>
    tool.package === 'core' || (method !== undefined && methods.has(`${method.package} ${route.id}`))
}

const routesOfVersion = new Map<string, readonly string[]>()

/** Versions are few: they follow the code. */
function routesOf(key: BuiltInPackage, version: string): readonly string[] {
  const known = routesOfVersion.get(`${key} ${version}`)
  if (known) return known
  const routes = methodsOf(key, version).map(({ route }) => `${key} ${route}`)
  if (routesOfVersion.size < mostMade) routesOfVersion.set(`${key} ${version}`, routes)
  return routes
}

/** Definitions by what is shown of the tools: few credentials differ in that. Nothing of a workspace is in them. */
const made = new Map<string, readonly ToolDefinition[]>()
const mostMade = 200

/** Beyond this many a caller has to choose packages with `toolsets`. */
const mostOutside = 256

export function definitionsOf(view: View): readonly ToolDefinition[] {
  const outside = view.outside.slice(0, mostOutside).map(({ definition }) => definition)
  return outside.length === 0 ? productDefinitions(view) : [...productDefinitions(view), ...outside]
}

function productDefinitions(view: View): readonly ToolDefinition[] {
  const shown = view.tools.map((tool) => ({
    tool,
    actions: new Set(tool.actions.filter((action) => view.shows(tool, action))),
  }))
  const key = shown.map(({ tool, actions }) => [tool.name, ...[...actions].map(({ name }) => name)]).join(';')
  const known = made.get(key)
  if (known) return known
  const definitions = shown.flatMap(({ tool, actions }) => {
    const definition = definitionOf(tool, (action) => actions.has(action))
    return definition ? [definition] : []
  })
  if (made.size >= mostMade) made.clear()
  made.set(key, definitions)
  return definitions
}
