import type { StandardCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { WorkingCard } from '@crewhall/contracts/boards/working-now.ts'
import { whenTold } from '../app/times.ts'

/** A lease that ran out: its run was lost, and nobody has taken the card since. */
export const wasAbandoned = (card: StandardCard): boolean =>
  card.status === 'in_progress' && card.claim === null && card.last_run_status === 'lost'

/**
 * What a card waits for: `DSP-224`, `DSP-224 and 2 more`. Those of other boards are not known here, and counted.
 */
export function blockerWords(card: StandardCard, cards: ReadonlyMap<string, StandardCard>): string {
  const first = card.blocked_by
    .map((id) => cards.get(id))
    .find((each) => each && each.status !== 'done' && each.status !== 'canceled')
  const others = card.open_blockers - 1
  if (first) return others === 0 ? first.ref : `${first.ref} and ${others} more`
  return others === 0 ? 'a card of another board' : `${card.open_blockers} cards of other boards`
}

/** Why a card stands still or what happens on it, in a few words; the table shows it as "Now". */
export function nowLine(
  card: StandardCard,
  working: WorkingCard | undefined,
  after: string,
  now: number,
): { readonly tone: 'live' | 'bad' | 'warn' | 'idle'; readonly text: string } {
  if (card.claim) return { tone: 'live', text: working?.run?.line || 'At work' }
  if (card.status === 'blocked') return { tone: 'bad', text: card.blocked_reason ?? 'Blocked' }
  if (wasAbandoned(card))
    return { tone: 'warn', text: `Lease ran out ${card.last_run_at ? whenTold(card.last_run_at, now) : ''}` }
  if (card.status === 'done' || card.status === 'canceled') return { tone: 'idle', text: '–' }
  if (card.open_blockers > 0) return { tone: 'idle', text: `After ${after}` }
  if (card.status === 'review') return { tone: 'idle', text: 'Waits for review' }
  if (card.is_ready) return { tone: 'idle', text: 'Ready to claim' }
  return { tone: 'idle', text: card.assignee ? `Waits for ${card.assignee.name}` : 'Waits' }
}
