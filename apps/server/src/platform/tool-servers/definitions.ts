import { createHash } from 'node:crypto'

/** What a tool says of itself. Claims, not facts. */
export interface ClaimedHints {
  readonly read_only: boolean
  readonly destructive: boolean
  readonly idempotent: boolean
}

export interface RemoteTool {
  readonly name: string
  readonly title: string | null
  readonly description: string
  /** A JSON Schema of type `object`. */
  readonly input_schema: Readonly<Record<string, unknown>>
  readonly hints: ClaimedHints
}

export const maxTools = 64
export const maxDefinitionBytes = 65_536
export const maxToolName = 64
const maxDescription = 4000
const maxTitle = 200
const maxDepth = 20

/** What the protocol calls a tool, as far as it is of interest here. */
export interface ListedTool {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly inputSchema: Readonly<Record<string, unknown>>
  readonly annotations?:
    | {
        readonly title?: string | undefined
        readonly readOnlyHint?: boolean | undefined
        readonly destructiveHint?: boolean | undefined
        readonly idempotentHint?: boolean | undefined
      }
    | undefined
}

/** Either all tools of a server or the reason why none of them: a server that hides one trap is not half trusted. */
export function deriveDefinitions(
  listed: readonly ListedTool[],
  prefixLength: number,
): readonly RemoteTool[] | { readonly reason: string } {
  if (listed.length === 0) return { reason: 'it has none' }
  if (listed.length > maxTools) return { reason: `it has more than ${maxTools}` }
  const tools = listed.map(derive).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  for (const [at, tool] of tools.entries()) {
    const reason = faultIn(tool, maxToolName - prefixLength)
    if (reason) return { reason }
    if (tools[at + 1]?.name === tool.name) return { reason: `two of them are called ${tool.name}` }
  }
  if (Buffer.byteLength(JSON.stringify(tools)) > maxDefinitionBytes)
    return { reason: `their definitions are longer than ${maxDefinitionBytes} bytes` }
  return tools
}

function derive({ name, title, description, inputSchema, annotations }: ListedTool): RemoteTool {
  return {
    name,
    title: title ?? annotations?.title ?? null,
    description: description ?? '',
    input_schema: inputSchema,
    // What is not said is what the protocol takes for granted.
    hints: {
      read_only: annotations?.readOnlyHint ?? false,
      destructive: annotations?.destructiveHint ?? true,
      idempotent: annotations?.idempotentHint ?? false,
    },
  }
}

function faultIn(tool: RemoteTool, longest: number): string | undefined {
  const { name, title, description, input_schema } = tool
  if (!/^[A-Za-z0-9_-]+$/.test(name)) return 'a name has characters other than letters, digits, _ and -'
  if (name.length > longest) return `a name is longer than ${longest} characters`
  if (description.length > maxDescription)
    return `the description of ${name} is longer than ${maxDescription} characters`
  if ((title?.length ?? 0) > maxTitle) return `the title of ${name} is longer than ${maxTitle} characters`
  if (isUnseen(description) || isUnseen(title ?? ''))
    return `the description of ${name} has characters that cannot be seen`
  const schema = faultInSchema(input_schema, 0)
  return schema && `the arguments of ${name} ${schema}`
}

function faultInSchema(value: unknown, depth: number): string | undefined {
  if (depth > maxDepth) return `are nested deeper than ${maxDepth} levels`
  if (typeof value === 'string')
    return isUnseen(value) ? 'are described with characters that cannot be seen' : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, each] of Object.entries(value)) {
    if (isUnseen(key)) return 'have names with characters that cannot be seen'
    // A client that follows it would load something from anywhere.
    if ((key === '$ref' || key === '$dynamicRef') && typeof each === 'string' && !each.startsWith('#'))
      return 'refer to a schema elsewhere'
    const fault = faultInSchema(each, depth + 1)
    if (fault) return fault
  }
  return undefined
}

/**
 * Text that a model reads and a person does not: controls, marks of direction, tags, selectors beyond those of emoji, private
 * use and halves of characters. Joiners are part of ordinary writing.
 */
const unseen = /[^\P{C}\t\n\r\u200c\u200d]|[\u{e0100}-\u{e01ef}\u115f\u1160\u3164\uffa0]/u
const isUnseen = (text: string): boolean => unseen.test(text)

/** The same definitions have the same digest, in whichever order a server lists them and their parts. */
export function digestOf(tools: readonly RemoteTool[]): string {
  const sorted = tools.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return createHash('sha256').update(canonical(sorted)).digest('hex')
}

/** Of bounded depth: `deriveDefinitions` has looked. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join(',')}}`
}
