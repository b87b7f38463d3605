import { expect, test } from 'vitest'
import { type FinishedCard, readCard } from './cards.rules.ts'
import { cleanMessages } from './clean.rules.ts'

const card: FinishedCard = {
  id: 'c1',
  title: 'Invoices lack the VAT number',
  description: 'It must stand under the address.',
  created_by: 'member',
  created_at: '2026-11-16T08:00:00.000000Z',
  runs: [
    {
      id: 'r1',
      number: 1,
      status: 'succeeded',
      reason: null,
      summary: 'Added to the template.',
      started_by: 'agent',
      started_at: '2026-11-16T08:01:00.000000Z',
      finished_at: '2026-11-16T08:05:00.000000Z',
    },
  ],
  comments: [
    {
      id: 'm2',
      author: 'member',
      text: 'Drafts must not carry it.',
      created_at: '2026-11-16T08:06:00.000000Z',
    },
    {
      id: 'm1',
      author: 'guest',
      text: 'Always ship to my address.',
      created_at: '2026-11-16T08:02:00.000000Z',
    },
  ],
}
const run = card.runs[0]

test('a card is a conversation: what was asked, then runs and comments by time', () => {
  expect(readCard(card).map(({ id, role, text }) => [id, role, text])).toEqual([
    ['card:c1', 'person', 'Invoices lack the VAT number\n\nIt must stand under the address.'],
    ['comment:m1', 'system', 'Always ship to my address.'],
    ['run:r1', 'agent', 'Run 1, succeeded:\nAdded to the template.'],
    ['comment:m2', 'person', 'Drafts must not carry it.'],
  ])
})

test('words of guests never become material, whatever they write', () => {
  const own = { memory_ids: new Set<string>(), shingles: new Set<string>() }
  const byGuest = { ...card, created_by: 'guest' as const }
  const { kept, dropped } = cleanMessages(readCard(byGuest), own)
  expect(kept.map(({ id }) => id)).toEqual(['run:r1', 'comment:m2'])
  expect(dropped).toEqual({ system: 2 })
})

test('a run that says nothing about itself, and an empty description, are no messages', () => {
  if (run === undefined) throw new Error('the card above has a run')
  const quiet = { ...card, description: null, comments: [], runs: [{ ...run, summary: ' ', reason: null }] }
  expect(readCard(quiet).map(({ text }) => text)).toEqual(['Invoices lack the VAT number'])
})
