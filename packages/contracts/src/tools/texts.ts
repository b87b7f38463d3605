import { isRead } from '../route.ts'
import type { Fence } from './fence.ts'
import { lengthOf, type Piece, render } from './pieces.ts'
import { presentAny } from './present/any.ts'
import type { ToolCall } from './tool.ts'

export interface ToolAnswer {
  readonly status: number
  /** Parsed JSON; text of another kind as a string; undefined if there is none. */
  readonly body: unknown
}

/** What a model reads: compact, at most 60,000 characters, and with the exact way to the rest. */
export function textOf(call: ToolCall, answer: ToolAnswer, fence: Fence): string {
  const pieces = piecesOf(call, answer)
  const { text, next_offset } = render(pieces, fence, call.offset)
  if (next_offset === undefined) return text === '' ? emptyText(call, pieces) : text
  return `${text}\n[${cutNote(call, lengthOf(pieces), next_offset)}]`
}

function piecesOf(call: ToolCall, { status, body }: ToolAnswer): readonly Piece[] {
  if (status >= 400) return [...refusalPieces(status, body), ...hintOf(call, status)]
  if (body === undefined || body === '') return ['Done.']
  return (call.action.present ?? presentAny)(body, call)
}

/** `404: Task not found`, and what else the refusal tells. */
function refusalPieces(status: number, body: unknown): readonly Piece[] {
  const detail = (body as { detail?: unknown } | undefined)?.detail ?? body
  if (typeof detail === 'string') return [`${status}: ${detail}`]
  if (typeof detail !== 'object' || detail === null) return [`${status}`]
  const { message, error, ...more } = detail as Record<string, unknown>
  const first = `${status}: ${String(message ?? error ?? 'refused')}`
  const facts = presentAny(more, undefined, { isQuiet: true })
  return facts.length === 0 ? [first] : [`${first}\n`, ...facts]
}

/** What helps; nothing where the refusal says it all. */
function hintOf({ tool, action, params }: ToolCall, status: number): readonly Piece[] {
  if (status === 400 || status === 422)
    return [`\nhelp with tool=${tool} and action=${action.name} tells the exact arguments.`]
  if (status === 403) return ['\nwhoami tells your role and scopes.']
  if (status === 412) return ['\nRead it again, and send its version.']
  if (status !== 404) return []
  if ('task_id' in params) return ['\ncards_search finds cards and their refs.']
  return 'board_id' in params ? ['\nboards with action=list tells the ids of boards.'] : []
}

function emptyText(call: ToolCall, pieces: readonly Piece[]): string {
  const length = lengthOf(pieces)
  return call.offset === 0
    ? 'Nothing.'
    : `Nothing after offset ${call.offset}: the text has ${length} characters.`
}

function cutNote(call: ToolCall, length: number, next_offset: number): string {
  const cut = `cut: ${length - next_offset} of ${length} characters are left`
  // A write is not repeated to read the rest of its response.
  if (!isRead(call.route))
    return `${cut} out; what was asked for is done. Read the rest with a reading action.`
  return `${cut}; for more, repeat this call with offset=${next_offset}`
}
