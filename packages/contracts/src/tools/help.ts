import { argumentsOf } from './arguments.ts'
import { lineOf } from './definitions.ts'
import type { Tool, ToolAction } from './tool.ts'

/** The text of `help`, of the tools and actions that the caller has. */
export function helpOf(
  tools: readonly Tool[],
  given: unknown,
  allowed: (action: ToolAction) => boolean = () => true,
): string {
  const { tool: toolName, action: actionName } = (given ?? {}) as { tool?: unknown; action?: unknown }
  if (toolName === undefined) return tools.map((tool) => summaryOf(tool, allowed)).join('\n')
  const tool = tools.find(({ name }) => name === toolName)
  if (!tool) return `There is no such tool. Tools: ${tools.map(({ name }) => name).join(', ')}.`
  const actions = tool.actions.filter(allowed)
  if (actionName === undefined) return [summaryOf(tool, allowed), ...actions.map(lineOf)].join('\n')
  const action = actions.find(({ name }) => name === actionName)
  if (!action) return [`${tool.name} has no such action. Actions:`, ...actions.map(lineOf)].join('\n')
  return describe(tool, action)
}

function summaryOf(
  { name, toolset, description, actions }: Tool,
  allowed: (action: ToolAction) => boolean,
): string {
  const names = actions.filter(allowed).map((action) => action.name)
  return `${name} [${toolset}]: ${description}${names.length > 1 ? ` Actions: ${names.join(', ')}.` : ''}`
}

function describe(tool: Tool, action: ToolAction): string {
  const { route } = action
  const { body, query } = route.example ?? {}
  const example = { action: action.name, ...query, ...body }
  return [
    `${tool.name} ${action.name}: ${route.summary}.`,
    ...(route.description ? [route.description] : []),
    `Stands for ${route.method} ${route.path}.`,
    'Arguments:',
    ...argumentsOf(action).map(
      ({ name, is_required, schema }) =>
        `- ${name}${is_required ? ' (required)' : ''}: ${JSON.stringify(schema)}`,
    ),
    `Example, without ids: ${JSON.stringify(example)}`,
  ].join('\n')
}
