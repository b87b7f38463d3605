import { expect, test } from 'vitest'
import { deriveScope } from './cycles.rules.ts'

const now = {
  cards: 7,
  cards_done: 2,
  cards_unsized: 1,
  cards_added: 3,
  estimate: 2.3,
  estimate_done: 0.2,
  estimate_added: 1.1,
}

test('a scope says what was added, what was taken out, and what is open', () => {
  expect(deriveScope(now, { cards: 6, estimate: 2 })).toEqual({
    planned: { cards: 6, estimate: 2 },
    added: { cards: 3, estimate: 1.1 },
    removed_cards: 2,
    total: { cards: 7, estimate: 2.3 },
    done: { cards: 2, estimate: 0.2 },
    open: { cards: 5, estimate: 2.1 },
    unestimated: 1,
  })
})

test('before the start nothing was planned and nothing is missing', () => {
  expect(deriveScope({ ...now, cards_added: 0, estimate_added: 0 }, null)).toMatchObject({
    planned: null,
    removed_cards: 0,
  })
})
