import { agentNotFound } from '@crewhall/contracts/identity/refusals.ts'
import { Refusal } from '@crewhall/contracts/refusal.ts'
import { isRead } from '@crewhall/contracts/route.ts'
import { definitionOf, type ToolDefinition } from '@crewhall/contracts/tools/definitions.ts'
import type { Tool, ToolAction } from '@crewhall/contracts/tools/tool.ts'
import { tools } from '@crewhall/contracts/tools/tools.ts'
import type { OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { Inside } from '#platform/http/inside.ts'
import { chosenTools } from './toolsets.rules.ts'

/** Which of the three addresses was called. */
export type Address =
  | { readonly kind: 'all' }
  | { readonly kind: 'readonly' }
  | { readonly kind: 'agent'; readonly agent_id: string }

/** What of the product one caller has at one address. */
export interface View {
  readonly ctx: OutsideBrandCtx
  readonly tools: readonly Tool[]
  /** Whether an action is there at all. Whether the credential is good for it is for its route to say. */
  has(tool: Tool, action: ToolAction): boolean
  /** Whether it is there and the route would let the caller in. */
  shows(tool: Tool, action: ToolAction): boolean
}

export function viewOf(
  ctx: OutsideBrandCtx,
  inside: Inside,
  address: Address,
  toolsets: string | undefined,
): View {
  const { actor } = ctx
  const agentId = actor.kind === 'person' ? actor.agent_id : null
  if (address.kind === 'agent' && address.agent_id !== agentId) throw agentNotFound()
  const chosen = chosenTools(tools, toolsets, [])
  if ('unknown' in chosen)
    throw new Refusal(400, `toolsets: ${chosen.unknown} is unknown; there are ${chosen.names.join(', ')}`)
  const granted = new Set<string>(['core'])
  const isThere = (tool: Tool) => address.kind !== 'agent' || granted.has(tool.package)
  const has = (tool: Tool, action: ToolAction) =>
    isThere(tool) && (address.kind !== 'readonly' || isRead(action.route))
  return {
    ctx,
    tools: chosen.tools.filter(isThere),
    has,
    shows: (tool, action) => has(tool, action) && inside.permits(ctx, action.route),
  }
}

/** Definitions by what is shown of the tools: few credentials differ in that. */
const made = new Map<string, readonly ToolDefinition[]>()
const mostMade = 200

export function definitionsOf(view: View): readonly ToolDefinition[] {
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
