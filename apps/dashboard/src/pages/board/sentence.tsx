import type { StandardCard } from '@crewhall/contracts/boards/card-fields.ts'
import * as sums from '@crewhall/contracts/boards/sums.ts'
import type { WorkingCard } from '@crewhall/contracts/boards/working-now.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { useQuery } from '@tanstack/react-query'
import { apiOf } from '../../api/api.ts'
import { moneyOf } from '../../work/figures.ts'

const api = apiOf({ boards: routesIn(sums) })

interface SentenceProps {
  readonly board_id: string
  readonly cards: readonly StandardCard[]
  readonly working: readonly WorkingCard[]
}

/** The board in one sentence: who works, what is ready, and what it cost. */
export function Sentence({ board_id, cards, working }: SentenceProps) {
  const cost = useWeekCost(board_id)
  const agents = working.filter(({ claim }) => claim.holder.kind === 'agent').length
  const people = working.length - agents
  const ready = cards.filter(({ is_ready, status }) => is_ready && status === 'pending').length
  const atWork = [
    agents > 0 ? `${agents} ${agents === 1 ? 'agent' : 'agents'}` : '',
    people > 0 ? `${people} ${people === 1 ? 'person' : 'people'}` : '',
  ].filter(Boolean)
  return [
    atWork.length === 0 ? 'Nobody at work' : `${atWork.join(' and ')} at work`,
    `${ready} ready to claim`,
    ...(cost === undefined || cost === 0 ? [] : [`${moneyOf(cost)} this week`]),
  ].join(' · ')
}

function useWeekCost(board_id: string): number | undefined {
  const { data } = useQuery({
    // Below the board, so that its events read it again.
    queryKey: ['board', board_id, 'week-cost'],
    queryFn: async ({ signal }) => {
      const today = new Date().toISOString().slice(0, 10)
      const query = { by: 'week', board_ids: board_id, from: today, to: today }
      return (await api.reading(signal).boards.listSums({ query })).body
    },
  })
  return data?.items.reduce((sum, { cost_micros }) => sum + cost_micros, 0)
}
