import type { AnyRoute } from '@crewhall/contracts/route.ts'
import { argumentsOf } from '@crewhall/contracts/tools/arguments.ts'
import type { Tool, ToolAction } from '@crewhall/contracts/tools/tool.ts'
import { tools } from '@crewhall/contracts/tools/tools.ts'
import type { McpCaller, ToolAnswer } from './mcp-caller.ts'

/** The tool and the action that stand for a route. */
export function toolOf(route: AnyRoute): { readonly tool: Tool; readonly action: ToolAction } {
  for (const tool of tools) {
    const action = tool.actions.find((each) => each.route === route)
    if (action) return { tool, action }
  }
  throw new Error(`no tool stands for ${route.id}`)
}

/** Calls the tool that stands for a route; fields by the names of the contract. */
export function callRoute(
  mcp: McpCaller,
  route: AnyRoute,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<ToolAnswer> {
  const { tool, action } = toolOf(route)
  return mcp.call(tool.name, namedBy(action, fields))
}

/** Fields of a request by the names that the action has for them; what it does not take is left out. */
export function namedBy(
  action: ToolAction,
  fields: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const named = argumentsOf(action)
    .filter(({ field }) => fields[field] !== undefined)
    .map(({ name, field }) => [name, fields[field]])
  return { action: action.name, ...Object.fromEntries(named) }
}

/** The text of a call that has to go well. */
export async function saidBy(
  mcp: McpCaller,
  route: AnyRoute,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const { verdict, said, text } = await callRoute(mcp, route, fields)
  if (verdict === 200) return said
  throw new Error(`${route.id} ${JSON.stringify(fields)} returned ${verdict}: ${said || text}`)
}
