/** What the pre-filter takes out of a conversation, and why. */
export type DropReason =
  | 'system'
  | 'tool'
  | 'own_section'
  | 'recalled'
  | 'boot_file'
  | 'heartbeat'
  | 'wrapper'
  | 'dump'
  | 'too_long'
  | 'empty'

/** Takes parts out of a text and reports each with its reason. What was apart stays apart: a blank line remains. */
export type Filter = (text: string, drop: (reason: DropReason, count?: number) => void) => string

const gap = '\n\n'

const ownBegin = /<!--\s{0,20}crewhall:memory\s{1,20}begin\b[^>\n]{0,200}-->/gi
const ownEnd = /<!--\s{0,20}crewhall:memory\s{1,20}end\b[^>\n]{0,200}-->/gi

/**
 * The section that the export writes into MEMORY.md, whatever its nonce says: a file read into a conversation is old.
 * Without its end it goes as far as the text; without its beginning it begins with the text.
 */
export const withoutOwnSection: Filter = (text, drop) => {
  const marks = [
    ...[...text.matchAll(ownBegin)].map((mark) => ({
      at: mark.index,
      length: mark[0].length,
      isBegin: true,
    })),
    ...[...text.matchAll(ownEnd)].map((mark) => ({ at: mark.index, length: mark[0].length, isBegin: false })),
  ].toSorted((a, b) => a.at - b.at)
  if (marks.length === 0) return text
  const parts: string[] = []
  let from = 0
  let isInside = marks[0]?.isBegin === false
  for (const { at, length, isBegin } of marks) {
    if (!isInside) parts.push(text.slice(from, at))
    if (isBegin || from === 0) drop('own_section')
    isInside = isBegin
    from = at + length
  }
  if (!isInside) parts.push(text.slice(from))
  return parts.join(gap)
}

const wrapped =
  'system-reminder|command-name|command-message|local-command-(?:caveat|stdout|stderr)|bash-(?:input|stdout|stderr)|task-notification|teammate-message|user-prompt-submit-hook|environment_(?:context|details)|user_instructions|user-memory-input|recommended_plugins|turn_aborted|ide_(?:opened_file|selection|diagnostics)|new-diagnostics|persisted-output|function_calls|function_results|relevant[-_]memories|recalled[-_]memories|memory[-_]context'
const wrapperTag = new RegExp(`(\`?)<(/?)(${wrapped}|INSTRUCTIONS)(?:\\s[^<>]{0,500})?>(\`?)`, 'gi')

/**
 * Blocks that a program puts around what it adds to a message. One that never ends goes as far as the text. A tag in
 * backticks is somebody's talk about tags. The arguments of a command were typed by a person and stay.
 */
export const withoutWrappers: Filter = (text, drop) => {
  const parts: string[] = []
  let from = 0
  let inside: string | undefined
  let depth = 0
  for (const found of text.matchAll(wrapperTag)) {
    const [whole, tick, slash, name = '', closingTick] = found
    if (inside === undefined) {
      if (tick !== '' && closingTick !== '') continue
      parts.push(text.slice(from, found.index))
      from = found.index + whole.length
      drop('wrapper')
      if (slash === '') {
        inside = name.toLowerCase()
        depth = 1
      }
    } else if (name.toLowerCase() === inside) {
      depth += slash === '' ? 1 : -1
      if (depth > 0) continue
      inside = undefined
      from = found.index + whole.length
    }
  }
  if (inside === undefined) parts.push(text.slice(from))
  return parts.join(gap).replaceAll(/<\/?command-args>/gi, '\n')
}

const bootName =
  '(?:CLAUDE(?:\\.local)?|AGENTS|SOUL|IDENTITY|USER|TOOLS|BOOTSTRAP|BOOT|HEARTBEAT|MEMORY|GEMINI|SKILL)\\.md'
/** A heading with the name of the file, a label that some program puts before its contents, or a fence named so. */
const bootStart = new RegExp(
  `^(?:\\s{0,3}#{1,6}\\s.{0,200}?\\b${bootName}\\b.{0,200}|\\s{0,3}(?:Contents|Content) of \\S{0,300}${bootName}\\b.{0,200}|\\s{0,3}(?:---|===|<file)[^\\n]{0,200}\\b${bootName}\\b.{0,100}|\\s{0,3}[\`~]{3,10}[^\`]{0,200}\\b${bootName}\\s*|#{1,6} Project Context\\s*|Base directory for this skill:.{0,500}|This session is being continued from a previous conversation.{0,500})$`,
)
const fence = /^\s{0,3}(`{3,10}|~{3,10})/
/**
 * Patterns look at the beginning of a line only: a hostile line costs no more than any other. They see it without its
 * indent, which the first line of a cleaned text has lost.
 */
const startOf = (line: string): string => line.trim().slice(0, 1_000)
const bootEnd = /^\s{0,3}(?:<\/(?:file|INSTRUCTIONS|contents?)>|(?:---|===)\s?end\b.{0,100})\s*$/i

/** Files that agents read when they start, pasted or restated. They go as far as their fence, or as the text. */
export const withoutBootFiles: Filter = (text, drop) => {
  const out: string[] = []
  let isInside = false
  let fenceMark: string | undefined
  for (const line of text.split('\n')) {
    const start = startOf(line)
    if (isInside) {
      const mark = fence.exec(start)?.[1]
      const isOver =
        fenceMark === undefined ? bootEnd.test(start) : mark !== undefined && line.trim() === fenceMark
      if (isOver) {
        isInside = false
        out.push('')
      }
    } else if (bootStart.test(start)) {
      drop('boot_file')
      isInside = true
      fenceMark = fence.exec(start)?.[1]
      out.push('')
    } else {
      out.push(line)
    }
  }
  return out.join('\n')
}

const heartbeat =
  /^\W{0,10}(?:HEARTBEAT_OK|NO_REPLY|HEARTBEAT_SKIP|ANNOUNCE_SKIP|REPLY_SKIP)\W{0,10}$|^\s*Read HEARTBEAT\.md\b|^\s*(?:Current time:|\[heartbeat\b)|\bHEARTBEAT_OK\b.{0,80}(?:needs attention|nothing)|(?:needs attention|nothing).{0,80}\bHEARTBEAT_OK\b/i
const programLine =
  /^\s*(?:Caveat: The messages below were generated by the user|\[Request interrupted by user|No response requested\.?$|\[message_id:|System: \[\d{4}-\d\d-\d\d|\[media attached:|To send an image back, prefer|DO NOT respond to these messages|API Error: )/i
const envelope = /^.{1,100} \(untrusted[^()\n]{0,100}\):\s*$/
/** Lines that only programs write: heartbeats, notices, and the labels with which a channel hands over a message. */
export const withoutProgramLines: Filter = (text, drop) => {
  const out: string[] = []
  let envelopeFence: 'expected' | 'open' | undefined
  for (const line of text.split('\n')) {
    const start = startOf(line)
    if (envelopeFence === 'open') {
      if (fence.test(start)) envelopeFence = undefined
    } else if (envelope.test(start)) {
      drop('wrapper')
      envelopeFence = 'expected'
      out.push('')
    } else if (envelopeFence === 'expected' && fence.test(start)) {
      envelopeFence = 'open'
    } else if (heartbeat.test(start)) {
      drop('heartbeat')
      out.push('')
    } else if (programLine.test(start)) {
      drop('wrapper')
      out.push('')
    } else {
      envelopeFence = undefined
      out.push(line)
    }
  }
  return out.join('\n')
}

const stamp =
  /^(?:\s{0,4}\[(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{4}-\d\d-\d\d [^\]\n]{1,40}|[A-Z]\w{1,20} [^\]\n]{1,150}\d{4}-\d\d-\d\d[^\]\n]{0,40})\] ?)+/gm
const replyTag = /\[\[(?:reply_to_current|reply_to:[^\]\n]{1,100}|audio_as_voice)\]\] ?/g

/** Who wrote when, as chat channels put it before the words; and where an answer is to go. */
export const withoutStamps: Filter = (text) => text.replaceAll(replyTag, ' ').replaceAll(stamp, '')
