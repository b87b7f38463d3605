import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'

/** Of the text of a result, with the note that it was cut. */
export const maxCharacters = 60_000
const noteLength = 200

export interface ToolResult {
  /** What the tool returned, as text. Words of the outside: fence them. */
  readonly text: string
  readonly is_error: boolean
}

/** Everything as text. Pictures and sounds are named and not handed on: nobody could mark whose words are in them. */
export function textOfResult(
  { content, structuredContent, isError }: CallToolResult,
  most: number,
): ToolResult {
  const parts = content.map(textOfBlock)
  // Servers repeat it as text for readers that know no other; some do not.
  if (parts.length === 0 && structuredContent !== undefined) parts.push(JSON.stringify(structuredContent))
  return { text: cut(parts.join('\n').toWellFormed(), most), is_error: isError ?? false }
}

function textOfBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'resource_link':
      return `[link to ${block.uri}: ${block.title ?? block.name}]`
    case 'resource':
      return 'text' in block.resource
        ? block.resource.text
        : `[a file at ${block.resource.uri} is not handed on]`
    default:
      return `[${block.type} of type ${block.mimeType} is not handed on]`
  }
}

export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const shown = most - noteLength
  return `${text.slice(0, shown).toWellFormed()}\n[cut: the tool returned ${text.length} characters, of which ${shown} are shown]`
}
