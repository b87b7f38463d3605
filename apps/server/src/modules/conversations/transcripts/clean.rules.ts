import type { OwnTexts } from '@crewhall/contracts/memory/own-texts.ts'
import { redactSecrets } from '@crewhall/contracts/redaction/redact-secrets.ts'
import { withoutDumps } from './dumps.rules.ts'
import { inertText, visibleText } from './inert.rules.ts'
import {
  type DropReason,
  withoutBootFiles,
  withoutOwnSection,
  withoutProgramLines,
  withoutStamps,
  withoutWrappers,
} from './noise.rules.ts'
import { withoutRecalled } from './recalled.rules.ts'
import { type Message, Tally } from './transcript.rules.ts'

/** A longer message is mostly pasted; what people and agents say themselves stands at its beginning. */
export const longestMessage = 8_000

/** What one filter takes out can leave what another one looks for. A text that nothing was taken from needs one pass. */
const mostPasses = 5

export interface Cleaned {
  readonly kept: readonly Message[]
  readonly dropped: Readonly<Partial<Record<DropReason, number>>>
  readonly redacted: number
}

/**
 * Pre-filter: what may be stored and shown to a model. Texts come back redacted and inert. Doing it twice changes
 * nothing, so whoever is unsure may do it again.
 */
export function cleanMessages(messages: readonly Message[], own: OwnTexts): Cleaned {
  const dropped = new Tally<DropReason>()
  let redacted = 0
  const kept = messages.flatMap((message): Message[] => {
    if (message.role === 'system' || message.role === 'tool') {
      dropped.add(message.role)
      return []
    }
    let text = message.text
    for (let pass = 0; pass < mostPasses; pass += 1) {
      const before = text
      // Invisible characters first, since they hide shapes; then secrets, while each is still whole.
      const safe = redactSecrets(visibleText(text))
      redacted += safe.count
      text = filtered(safe.text, own, dropped)
      if (text === before) break
    }
    if (text === '') {
      dropped.add('empty')
      return []
    }
    return [{ ...message, text }]
  })
  return { kept, dropped: dropped.counts(), redacted }
}

function filtered(text: string, own: OwnTexts, dropped: Tally<DropReason>): string {
  const drop = (reason: DropReason, count?: number): void => dropped.add(reason, count)
  // What is judged by its wording goes before what is judged by its lines, since it leaves half lines behind.
  const filters = [
    withoutOwnSection,
    withoutWrappers,
    withoutStamps,
    withoutRecalled(own),
    withoutBootFiles,
    withoutProgramLines,
    withoutDumps,
  ]
  let left = text
  for (const filter of filters) left = filter(left, drop)
  const tidy = tidied(inertText(left))
  if (tidy.length <= longestMessage) return tidy
  drop('too_long')
  return cutAtParagraph(tidy)
}

const tidied = (text: string): string =>
  text
    .replaceAll(/(?<![^\S\n])[^\S\n]+$/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()

/** At the end of a paragraph, a line or a word, whichever leaves at least half. */
function cutAtParagraph(text: string): string {
  const start = text.slice(0, longestMessage)
  const ends = ['\n\n', '\n', ' '].map((separator) => start.lastIndexOf(separator))
  const end = ends.find((at) => at >= longestMessage / 2) ?? longestMessage
  return start.slice(0, end).toWellFormed().trim()
}
