import { createHash } from 'node:crypto'
import type { OwnTexts } from '@crewhall/contracts/memory/own-texts.ts'
import { redactSecrets } from '@crewhall/contracts/redaction/redact-secrets.ts'
import { cleanMessages } from '../transcripts/clean.rules.ts'
import type { Message } from '../transcripts/transcript.rules.ts'
import { Turns } from './turns.ts'

/** A message with all that may be stored of it, and nothing else. */
export interface Kept {
  readonly id: string | null
  readonly role: Message['role']
  /** Null if the filter has dropped it. */
  readonly text: string | null
  /** Of role and text without secrets: a digest of a short secret could be tried out. */
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

/** Longer than what anybody says: a dump, which is not worth filtering. Above it a message would hold up all others. */
const longestFiltered = 64_000

/** The one way from what was received to what is stored. */
export async function keptOf(messages: readonly Message[], own: OwnTexts): Promise<Kept[]> {
  const turns = new Turns()
  const all: Kept[] = []
  for (const message of messages) {
    await turns.next()
    all.push(message.text.length > longestFiltered ? tooLong(message) : filtered(message, own))
  }
  return all
}

function filtered(message: Message, own: OwnTexts): Kept {
  const { kept, dropped, redacted } = cleanMessages([message], own)
  const text = kept[0]?.text
  const digest = hashOf(`${message.role}\n${redactSecrets(message.text).text}`)
  return { ...factsOf(message), text: text === undefined ? null : storable(text), digest, dropped, redacted }
}

const tooLong = (message: Message): Kept => ({
  ...factsOf(message),
  text: null,
  // Nobody can try out a text of this length, whatever secret is in it.
  digest: hashOf(`${message.role}\n${message.text}`),
  dropped: { too_long: 1 },
  redacted: 0,
})

const factsOf = ({ id, role, sent_at }: Message) => ({
  id: id === null ? null : storable(id),
  role,
  sent_at: momentOf(sent_at),
})

/**
 * The same with an id for each: that of its record, or else its text and how often that came before. Where a file comes in
 * pieces, the place of the piece tells apart equal messages of two of them.
 */
export async function namedOf(messages: readonly Message[], own: OwnTexts, place = ''): Promise<Named[]> {
  const seen = new Map<string, number>()
  return (await keptOf(messages, own)).map((message) => {
    if (message.id !== null && message.id.length <= longestId) return { ...message, id: message.id }
    const hash = hashOf(message.id ?? message.digest).toString('hex')
    const name = message.id === null ? `=${place}${hash}` : `=${hash}`
    const count = seen.get(name) ?? 0
    seen.set(name, count + 1)
    return { ...message, id: `${name}.${count}` }
  })
}

const longestId = 100
const hashOf = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest()

/** Postgres takes neither. */
export const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed()

function momentOf(text: string | null): string | null {
  const time = text === null ? Number.NaN : Date.parse(text)
  return Number.isNaN(time) || time < 0 ? null : new Date(time).toISOString()
}
