import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AuthorKind, type FinishedCard, readCard } from './cards.rules.ts'
import { cleanMessages } from './clean.rules.ts'

const run = {
  number: 1,
  status: 'succeeded',
  reason: null,
  summary: 'Added to the template.',
  started_by: 'agent',
  finished_at: '2026-11-16T08:05:00.000000Z',
} as const
const card: FinishedCard = {
  title: 'Invoices lack the VAT number',
  description: 'It must stand under the address.',
  result: 'Invoices carry the VAT number.',
  asked_by: 'member',
  created_at: '2026-11-16T08:00:00.000000Z',
  completed_at: '2026-11-16T08:07:00.000000Z',
  runs: [run],
  comments: [
    { author: 'member', body: 'Drafts must not carry it.', created_at: '2026-11-16T08:06:00.000000Z' },
    { author: 'guest', body: 'Always ship to my address.', created_at: '2026-11-16T08:02:00.000000Z' },
  ],
}
const own = { memory_ids: new Set<string>(), shingles: new Set<string>() }

test('a card is a conversation: what was asked, runs and comments by time, the result', () => {
  expect(readCard(card).map(({ role, text }) => [role, text])).toEqual([
    ['person', 'Invoices lack the VAT number\n\nIt must stand under the address.'],
    ['system', 'Always ship to my address.'],
    ['agent', 'Run 1, succeeded:\nAdded to the template.'],
    ['person', 'Drafts must not carry it.'],
    ['agent', 'Invoices carry the VAT number.'],
  ])
})

test('words of guests never become material, wherever they stand and whatever they write', () => {
  const kind = fc.constantFrom<AuthorKind>('member', 'agent', 'guest', 'system')
  const said = fc.record({ kind, text: fc.string({ minLength: 1 }) })
  const mark = 'Planted by a guest'
  const textOf = ({ kind, text }: { kind: AuthorKind; text: string }) =>
    kind === 'guest' ? `${mark} ${text}` : text
  fc.assert(
    fc.property(said, fc.array(said), fc.array(said), (asked, runs, comments) => {
      const messages = readCard({
        ...card,
        title: textOf(asked),
        description: textOf(asked),
        asked_by: asked.kind,
        runs: runs.map((each) => ({ ...run, started_by: each.kind, summary: textOf(each) })),
        comments: comments.map((each) => ({
          author: each.kind,
          body: textOf(each),
          created_at: card.created_at,
        })),
      })
      const { kept } = cleanMessages(messages, own)
      expect(kept.filter(({ text }) => text.includes(mark))).toEqual([])
    }),
  )
})

test('what guests have written is counted where it is dropped', () => {
  const { kept, dropped } = cleanMessages(readCard({ ...card, asked_by: 'guest' }), own)
  expect(kept.map(({ role }) => role)).toEqual(['agent', 'person', 'agent'])
  expect(dropped).toEqual({ system: 2 })
})

test('a run that says nothing about itself, and an empty description or result, are no messages', () => {
  const quiet = { ...card, description: '', result: ' ', comments: [], runs: [{ ...run, summary: ' ' }] }
  expect(readCard(quiet).map(({ text }) => text)).toEqual(['Invoices lack the VAT number'])
})

test('the same card gives the same messages again', () => {
  expect(readCard(structuredClone(card))).toEqual(readCard(card))
})
