import { type Argument, argumentsOf, jsonFormatOf, requiredOf } from './arguments.ts'
import { lineOf } from './definitions.ts'
import type { KnownToCaller, Tool, ToolAction, ToolCall, ToolFault } from './tool.ts'

type Fields = Record<string, unknown>

/**
 * The request that a call of a tool stands for. Values are judged by the contract when the request is made, with the same
 * status as over HTTP; here only what makes a request impossible is a fault.
 */
export function callOf(tool: Tool, given: unknown, known: KnownToCaller = {}): ToolCall | ToolFault {
  if (given !== undefined && given !== null && !isFields(given))
    return { fault: 'The arguments must be an object.' }
  const { action: named, ...args } = given ?? {}
  const action = actionOf(tool, named)
  if (!action) return { fault: missingAction(tool, named) }
  const takes = new Map(argumentsOf(action).map((argument) => [argument.name, argument]))
  const unknown = Object.keys(args).filter((name) => !takes.has(name))
  if (unknown.length > 0) return { fault: unknownArguments(tool, action, unknown) }

  const call = {
    params: {} as Record<string, string>,
    query: {} as Record<string, string>,
    body: {} as Fields,
  }
  const apart: { key?: string; if_match?: string; offset: number; whole?: unknown } = { offset: 0 }
  // Models fill in what they leave out with null; only in a body it means something.
  const said = Object.entries(args).filter(
    ([name, value]) => value !== undefined && (value !== null || takes.get(name)?.place === 'body'),
  )
  const all: Fields = { ...knownTo(action, takes, known), ...action.defaults, ...Object.fromEntries(said) }
  for (const [name, value] of Object.entries(all)) {
    const argument = takes.get(name)
    if (!argument) {
      // A default of a field that callers cannot choose.
      call.query[name] = String(value)
      continue
    }
    const { place, field } = argument
    if (place === 'body') call.body[field] = value
    else if (place === 'whole_body') apart.whole = value
    else {
      const text = textOfValue(value)
      if (text === undefined)
        return { fault: `${name}: must be a string, a number, true, false or a list of those.` }
      if (place === 'params' || place === 'query') call[place][field] = text
      else if (place === 'key') apart.key = text
      else if (place === 'if_match') apart.if_match = `"${text}"`
      else if (/^\d{1,9}$/.test(text)) apart.offset = Number(text)
      else return { fault: 'offset: must be a whole number from 0.' }
    }
  }
  const lacking = [...takes.values()].filter(
    ({ place, field }) => place === 'params' && !(field in call.params),
  )
  if (lacking.length > 0) return { fault: missingArguments(tool, action, lacking) }

  const format = jsonFormatOf(action.route)
  const { whole, ...rest } = apart
  return {
    tool: tool.name,
    action,
    route: action.route,
    ...call,
    query: format ? { ...call.query, format } : call.query,
    body: whole ?? bodyOf(action, call.body),
    ...rest,
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A tool with one action needs no name for it. */
function actionOf(tool: Tool, named: unknown): ToolAction | undefined {
  if (named === undefined && tool.actions.length === 1) return tool.actions[0]
  return tool.actions.find(({ name }) => name === named)
}

/** The body of a request without any field: none, where the contract lets it be absent. */
function bodyOf({ route }: ToolAction, fields: Fields): unknown {
  if (!route.body) return undefined
  return Object.keys(fields).length === 0 && route.body.safeParse(undefined).success ? undefined : fields
}

/** The workspace, and whose memory it is. Other actions that name an agent do something to it: they are told which. */
function knownTo(
  { method }: ToolAction,
  takes: ReadonlyMap<string, Argument>,
  { brand_id, agent_id }: KnownToCaller,
): Fields {
  const isOwnMemory = method?.package === 'memory' && takes.get('agent_id')?.is_required === true
  return {
    ...(brand_id !== undefined && takes.get('brand_id')?.place === 'params' ? { brand_id } : {}),
    ...(agent_id !== undefined && isOwnMemory ? { agent_id } : {}),
  }
}

/** As in a URL: several values of one parameter are separated by commas. */
function textOfValue(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    const parts = value.map(textOfValue)
    return parts.includes(undefined) ? undefined : parts.join(',')
  }
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : undefined
}

function missingAction(tool: Tool, named: unknown): string {
  const what = named === undefined ? 'action is missing' : `${tool.name} has no action ${shown(named)}`
  return [`${what}. Actions of ${tool.name}:`, ...tool.actions.map(lineOf)].join('\n')
}

function unknownArguments(tool: Tool, action: ToolAction, names: readonly string[]): string {
  const takes = argumentsOf(action).map(({ name, is_required }) =>
    is_required ? `${name} (required)` : name,
  )
  return `${tool.name} ${action.name} does not take ${names.slice(0, 10).map(shown).join(', ')}. It takes: ${takes.join(', ')}.`
}

function missingArguments(tool: Tool, action: ToolAction, lacking: readonly Argument[]): string {
  const names = lacking.map(({ name }) => name).join(', ')
  return `${tool.name} ${action.name} needs ${names}. Required: ${requiredOf(action).join(', ')}.`
}

/** What a caller sent, in a sentence: not all of it, and on one line. */
const shown = (value: unknown): string => JSON.stringify(value)?.slice(0, 60) ?? typeof value
