import type { ToolDefinition } from '@crewhall/contracts/tools/definitions.ts'
import type { Fence } from '@crewhall/contracts/tools/fence.ts'

/** A tool of another server, as an admin has approved it. */
export interface ApprovedTool {
  readonly name: string
  readonly title: string | null
  readonly description: string
  readonly input_schema: Readonly<Record<string, unknown>>
}

/** An installed package that the caller may use now. */
export interface GrantedPackage {
  readonly install_id: string
  readonly package_key: string
  readonly kind: 'builtin' | 'http'
  readonly version: string
  readonly url: string | null
  readonly digest: string
  readonly tools: readonly ApprovedTool[]
}

export interface OutsideTool {
  readonly package: GrantedPackage
  readonly tool: ApprovedTool
  readonly definition: ToolDefinition
}

const separator = '__'

/** Of what stands before the names of a package's tools. */
export const prefixOf = (package_key: string): string => `${package_key}${separator}`

/**
 * By package and name. No tool of the product has `__` in its name and no key of a package does, so none of these can take
 * the place of another.
 */
export const outsideToolsOf = (granted: readonly GrantedPackage[]): readonly OutsideTool[] =>
  granted
    .filter(({ kind, url }) => kind === 'http' && url !== null)
    .flatMap((each) =>
      each.tools.map((tool) => ({
        package: each,
        tool,
        definition: definitionOf(each.package_key, tool),
      })),
    )

function definitionOf(package_key: string, tool: ApprovedTool): ToolDefinition {
  const { name, title, description, input_schema } = tool
  const { properties } = input_schema
  return {
    name: `${prefixOf(package_key)}${name}`,
    title: title ?? name,
    description: `Tool of the package ${package_key}, outside of Crewhall. In the words of its publisher: ${description}`,
    inputSchema: {
      ...input_schema,
      type: 'object',
      properties: isRecord(properties) ? properties : {},
    },
    // What a server says of its own tools is a claim, and clients take our word: some ask nobody before a tool that only reads.
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Of a result, with everything around it. */
export const maxResultCharacters = 60_000
const aroundCharacters = 1000
/** What is marked as harmless grows, by less than half. */
const safeCharacters = 40_000

/** Words of the outside, within the limits and between marks that they cannot have known. */
export function fencedResult(text: string, fence: Fence): string {
  const fenced = (shown: string) => `${fence.note}\n${fence(shown, 'external')}`
  const whole = fenced(text)
  if (whole.length <= maxResultCharacters) return whole
  const shown = text.slice(0, safeCharacters).toWellFormed()
  return `${fenced(shown)}\n[cut: ${shown.length} of ${text.length} characters are shown]`
}

/** The most that is asked of a server, so that most results fit with what is put around them. */
export const askedCharacters = maxResultCharacters - aroundCharacters
