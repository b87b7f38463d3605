import type { SequenceFacts } from '@crewhall/contracts/fleet/signature.ts'

/** One signed request. */
export interface Heard extends SequenceFacts {
  /** In seconds, by the clock of the desk. */
  readonly created: number
}

/** What is remembered of the processes that have signed with one key. */
export interface Processes {
  readonly boot_id: string
  readonly sequence: number
  /** The latest time that was signed. */
  readonly created: number
  /** What was signed later than this by an earlier process was signed while this one was running. */
  readonly since: number
  /** Those before it, the latest first. */
  readonly earlier: readonly string[]
}

type Judgement =
  | { readonly kind: 'fresh'; readonly processes: Processes; readonly is_new_process: boolean }
  /** Sent before, or overtaken. */
  | { readonly kind: 'replayed' }
  /** Two processes are running with one key. */
  | { readonly kind: 'copies' }

const maxEarlier = 8

/**
 * A process counts its requests, and a new one takes over from the one before. An earlier process that signs after that,
 * or a count that was used and is signed anew, comes from a copy. What was signed before that and only comes late does
 * not: all times are of one clock, so the clock of the server does not matter.
 */
export function judgeSequence(known: Processes | undefined, heard: Heard): Judgement {
  const { boot_id, sequence, created } = heard
  if (!known) {
    const processes = { boot_id, sequence, created, since: created, earlier: [] }
    return { kind: 'fresh', processes, is_new_process: true }
  }
  // A clock may be set back.
  const latest = Math.max(created, known.created)
  if (boot_id === known.boot_id) {
    if (sequence > known.sequence)
      return { kind: 'fresh', processes: { ...known, sequence, created: latest }, is_new_process: false }
    return { kind: created > known.created ? 'copies' : 'replayed' }
  }
  if (known.earlier.includes(boot_id)) return { kind: created > known.since ? 'copies' : 'replayed' }
  const earlier = [known.boot_id, ...known.earlier].slice(0, maxEarlier)
  const processes = { boot_id, sequence, created: latest, since: latest, earlier }
  return { kind: 'fresh', processes, is_new_process: true }
}
