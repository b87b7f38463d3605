import { isRead } from '../route.ts'
import { argumentsOf, requiredOf } from './arguments.ts'
import type { Tool, ToolAction } from './tool.ts'

type Json = Record<string, unknown>

/** A tool as `tools/list` sends it. */
export interface ToolDefinition {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: {
    readonly type: 'object'
    readonly properties: Json
    readonly required?: readonly string[]
  }
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
}

/** The tool with those actions that the caller may use; nothing if there are none. */
export function definitionOf(
  tool: Tool,
  allowed: (action: ToolAction) => boolean = () => true,
): ToolDefinition | undefined {
  const { name, title } = tool
  if (name === 'help') return helpDefinition(tool)
  const actions = tool.actions.filter(allowed)
  if (actions.length === 0) return undefined
  return {
    name,
    title,
    description: [tool.description, ...(tool.actions.length > 1 ? actions.map(lineOf) : [])].join('\n'),
    inputSchema: {
      type: 'object',
      properties: propertiesOf(actions, tool.actions.length > 1),
      ...(tool.actions.length > 1 ? { required: ['action'] } : requiredPart(actions)),
    },
    annotations: {
      readOnlyHint: actions.every(({ route }) => isRead(route)),
      destructiveHint: actions.some(({ is_destructive }) => is_destructive === true),
      idempotentHint: actions.every(isRepeatable),
      openWorldHint: false,
    },
  }
}

function helpDefinition({ name, title, description }: Tool): ToolDefinition {
  const properties = { tool: { type: 'string' }, action: { type: 'string' } }
  const annotations = {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  }
  return { name, title, description, inputSchema: { type: 'object', properties }, annotations }
}

/** `claim(task_id): Claim a card`, with what the action cannot do without. */
export const lineOf = (action: ToolAction): string =>
  `- ${action.name}(${requiredOf(action).join(', ')}): ${action.summary}`

function requiredPart(actions: readonly ToolAction[]): { required?: string[] } {
  const required = actions.flatMap(requiredOf)
  return required.length === 0 ? {} : { required }
}

const isRepeatable = ({ route }: ToolAction): boolean =>
  isRead(route) || route.method === 'PUT' || route.method === 'DELETE'

/** All arguments of these actions. An argument that they type differently gets all of the types. */
function propertiesOf(actions: readonly ToolAction[], hasAction: boolean): Json {
  const properties: Record<string, Json> = hasAction
    ? { action: { type: 'string', enum: actions.map(({ name }) => name) } }
    : {}
  const shared = new Map<string, Json>()
  for (const action of actions) {
    for (const { name, schema } of argumentsOf(action)) {
      const brief = briefOf(schema)
      const before = shared.get(name)
      shared.set(name, before ? eitherOf(before, brief) : brief)
    }
  }
  return { ...properties, ...Object.fromEntries(shared) }
}

/** Type and values, without bounds and patterns: those the contract checks, and `help` tells them. */
function briefOf(schema: Json): Json {
  const { type, items, description } = schema
  const cases = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
  if (cases) return cases.map(briefOf).reduce(eitherOf)
  const told = description === undefined ? {} : { description }
  if (type === 'boolean') return { type, ...told }
  if (schema.const !== undefined) return { enum: [schema.const], ...told }
  if (Array.isArray(schema.enum)) return { enum: schema.enum, ...told }
  if (type === 'array') return { type, ...(items ? { items: briefOf(items as Json) } : {}), ...told }
  return type === undefined ? told : { type, ...told }
}

function eitherOf(one: Json, other: Json): Json {
  if (JSON.stringify(one) === JSON.stringify(other)) return one
  if (Array.isArray(one.enum) && Array.isArray(other.enum))
    return { enum: [...new Set([...one.enum, ...other.enum])] }
  const types = [...new Set([...typesOf(one), ...typesOf(other)])]
  const items = one.items ?? other.items
  return {
    type: types.length === 1 ? types[0] : types,
    ...(items && types.includes('array') ? { items } : {}),
  }
}

function typesOf(schema: Json): unknown[] {
  if (Array.isArray(schema.enum))
    return [...new Set(schema.enum.map((value) => (value === null ? 'null' : typeof value)))]
  return Array.isArray(schema.type) ? schema.type : [schema.type ?? 'object']
}
