import { type BranchNode, branchTo } from './branch.rules.ts'
import { type Fields, readLines } from './jsonl.rules.ts'
import { type Message, numbered, type SkipReason, Tally, type Transcript } from './transcript.rules.ts'

export type Skipped = Tally<SkipReason>

/** How a program writes its sessions down, one record per line. */
export interface SessionFormat {
  /** Records of this conversation, each once. */
  own(records: readonly Fields[], skipped: Skipped): Fields[]
  saidBy(record: Fields, skipped: Skipped): Message[]
  nodeOf(record: Fields): BranchNode
  /** The record a session goes on from. */
  leafOf(records: readonly Fields[], said: readonly (readonly Message[])[]): number
  /** Whether what follows the leaf has no branch of its own yet. */
  readonly has_loose_end: boolean
  /** What the program calls the session. */
  nameOf(records: readonly Fields[]): string | null
}

/** What a person sees who opens the session again. */
export function readSession(jsonl: string, format: SessionFormat): Transcript {
  const skipped: Skipped = new Tally()
  const { records, is_cut } = readLines(jsonl, skipped)
  const own = format.own(records, skipped)
  const said = own.map((record) => format.saidBy(record, skipped))
  const leaf = format.leafOf(own, said)
  const branch = branchTo(own.map(format.nodeOf), leaf)
  const messages: Message[] = []
  for (const [at, each] of said.entries()) {
    if (branch.has(at) || (format.has_loose_end && at > leaf)) messages.push(...numbered(each))
    else skipped.add('other_branch', each.length)
  }
  return { external_id: format.nameOf(own), messages, skipped: skipped.counts(), is_cut }
}

type Common = Pick<Message, 'id' | 'sent_at'>
/** Nothing where nothing was said. */
export const saidIn = (common: Common, role: Message['role'], text: string | undefined): Message[] =>
  text === undefined ? [] : [{ ...common, role, text }]
