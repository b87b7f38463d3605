import { findFinishedCard, listFinishedCards } from '#modules/boards'
import { boardIdsOf } from '../sources/board-ids.rules.ts'
import { readCard } from '../transcripts/cards.rules.ts'
import { placeOf, positionOf } from './card-place.rules.ts'
import { type SourceReader, Unreadable } from './source-reader.ts'

/** Places only; cards are read one at a time. */
const cardsPerPage = 100

/** Completed tasks of boards. One that is completed again comes again, and what is new of it is added. */
export const cardReader: SourceReader = {
  async *read(ctx, { config }, { position }) {
    const board_ids = boardIdsOf(config)
    if (board_ids === null) throw malformed()
    let after = placeOf(position)
    for (let hasMore = true; hasMore; ) {
      const page = await listFinishedCards(ctx, { after, board_ids, limit: cardsPerPage })
      for (const place of page.cards) {
        const card = await findFinishedCard(ctx, place.id)
        const conversation = card && {
          key: card.id,
          content: { messages: readCard(card) },
          mark: card.completed_at,
        }
        yield { position: positionOf(place), ...(conversation && { conversation }) }
      }
      if (page.next) yield { position: positionOf(page.next) }
      after = page.next
      hasMore = page.has_more
    }
  },
}

const malformed = () =>
  new Unreadable('board_ids_malformed', 'now', 'config.board_ids must be a list of ids of boards')
