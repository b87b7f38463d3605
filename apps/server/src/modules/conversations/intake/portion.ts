import { createHash } from 'node:crypto'
import type { OwnTexts } from '@crewhall/contracts/memory/own-texts.ts'
import { cleanMessages } from '../transcripts/clean.rules.ts'
import { redactSecrets } from '../transcripts/secrets.rules.ts'
import type { Message } from '../transcripts/transcript.rules.ts'

/** A message with all that may be stored of it, and nothing else. */
export interface Kept {
  readonly id: string | null
  readonly role: Message['role']
  /** Null if the filter has dropped it. */
  readonly text: string | null
  readonly digest: Buffer
  readonly sent_at: string | null
  readonly dropped: Readonly<Record<string, number>>
  readonly redacted: number
}
export type Named = Kept & { readonly id: string }

/** Part of a conversation, ready to be stored. */
export interface Portion {
  readonly external_id: string
  readonly part:
    | { readonly by: 'number'; readonly first_seq: number; readonly messages: readonly Kept[] }
    | { readonly by: 'id'; readonly messages: readonly Named[] }
}

/** The one way from what was received to what is stored. */
export const keptOf = (messages: readonly Message[], own: OwnTexts): Kept[] =>
  messages.map((message) => {
    const { kept, dropped, redacted } = cleanMessages([message], own)
    const text = kept[0]?.text
    return {
      id: message.id === null ? null : storable(message.id),
      role: message.role,
      text: text === undefined ? null : storable(text),
      digest: digestOf(message),
      sent_at: momentOf(message.sent_at),
      dropped,
      redacted,
    }
  })

/** The same with an id for each: that of its record, or else its text and how often that came before. */
export function namedOf(messages: readonly Message[], own: OwnTexts): Named[] {
  const seen = new Map<string, number>()
  return keptOf(messages, own).map((message) => {
    if (message.id !== null && message.id.length <= longestId) return { ...message, id: message.id }
    const name = `=${hashOf(message.id ?? message.digest).toString('hex')}`
    const count = seen.get(name) ?? 0
    seen.set(name, count + 1)
    return { ...message, id: `${name}.${count}` }
  })
}

const longestId = 100
const hashOf = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()

/** Without secrets: a digest of one could be tried out. */
const digestOf = ({ role, text }: Message): Buffer => hashOf(`${role}\n${redactSecrets(text).text}`)

/** Postgres takes neither. */
export const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed()

function momentOf(text: string | null): string | null {
  const time = text === null ? Number.NaN : Date.parse(text)
  return Number.isNaN(time) || time < 0 ? null : new Date(time).toISOString()
}
