import { expect, test } from 'vitest'
import { type Extracted, judge } from './judge.rules.ts'
import { mostMemories } from './prompt.rules.ts'

const said = [
  {
    seq: 4,
    role: 'person',
    text: 'We deploy\n  on Tuesdays only,\tnever on Fridays. The limit is 4,500 rows.',
    sent_at: null,
  },
  {
    seq: 5,
    role: 'agent',
    text: 'Understood. I will retry twice and use port 8443 from now on.',
    sent_at: null,
  },
]
const good: Extracted = {
  message: 4,
  quote: 'We deploy on Tuesdays only, never on Fridays.',
  kind: 'decision',
  title: 'Deploy on Tuesdays',
  body: 'Deployments happen on Tuesdays only.',
  description: null,
  tags: [' Deploy ', 'deploy', 'Release'],
  importance: 'normal',
  decision: 'new',
  existing: null,
}
const judged = (changes: Partial<Extracted>, known = 2) => judge([{ ...good, ...changes }], said, known)[0]
const rejected = (reason: string) => ({ decision: 'rejected', reason })

test('a memory whose quote was said is accepted, with the message that holds it', () => {
  expect(judged({})).toEqual({
    decision: 'new',
    draft: {
      kind: 'decision',
      title: 'Deploy on Tuesdays',
      body: 'Deployments happen on Tuesdays only.',
      description: null,
      tags: ['deploy', 'release'],
      importance: 'normal',
      confidence: 0.8,
    },
    quote: 'We deploy on Tuesdays only, never on Fridays.',
    message_seqs: [4],
    existing: undefined,
  })
})

test.each([
  ['words that nobody said', { quote: 'We deploy on Mondays only' }, 'quote_not_found'],
  ['another case', { quote: 'we deploy on tuesdays only' }, 'quote_not_found'],
  ['a passage joined from two messages', { quote: '4,500 rows. Understood.' }, 'quote_not_found'],
  ['a quote that is in every conversation', { quote: 'on' }, 'quote_too_short'],
  ['no quote', { quote: ' \n ' }, 'quote_too_short'],
  ['a figure that nobody said', { body: 'The limit is 5400 rows.' }, 'unsupported_number'],
  ['a port that nobody said', { title: 'Use port 8080' }, 'unsupported_number'],
  ['a title of nothing', { title: ' ' }, 'empty'],
  ['a title beyond the bound', { title: 'x'.repeat(501) }, 'too_long'],
  ['a description beyond the bound', { description: 'x'.repeat(201) }, 'too_long'],
  ['a kind that only the platform writes', { kind: 'summary' }, 'unknown_kind'],
  ['an importance that does not exist', { importance: 'urgent' }, 'unknown_kind'],
  ['a note that does not exist', { decision: 'same' as const, existing: 3 }, 'unknown_note'],
  ['a number of no note', { decision: 'supersedes' as const, existing: null }, 'unknown_note'],
  ['note zero', { decision: 'conflicts' as const, existing: 0 }, 'unknown_note'],
])('%s: rejected', (_, changes, reason) => {
  expect(judged(changes)).toEqual(rejected(reason))
})

test.each([
  ['the figure with other separators', { body: 'The limit is 4500 rows.' }],
  ['a date', { body: 'Since 2026-11-16 (or November 2026), deployments happen on Tuesdays only.' }],
  ['a single digit for a word', { body: 'There is 1 day for deployments: Tuesday.' }],
])('%s is supported', (_, changes) => {
  expect(judged(changes)).toMatchObject({ decision: 'new' })
})

test('a wrong number of the message is corrected', () => {
  expect(judged({ message: 99, quote: 'I will retry twice and use port 8443' })).toMatchObject({
    message_seqs: [5],
    draft: { confidence: 0.7 },
  })
})

test('notes are counted from 1 for the model and from 0 for us', () => {
  expect(judged({ decision: 'supersedes', existing: 2 })).toMatchObject({
    decision: 'supersedes',
    existing: 1,
  })
})

test('only a person makes a memory critical', () => {
  expect(judged({ importance: 'critical' })).toMatchObject({ draft: { importance: 'high' } })
})

test('the same title twice is rejected, and so is what goes beyond the number for one call', () => {
  const many = Array.from({ length: mostMemories + 2 }, (_, n) => ({
    ...good,
    title: `Rule ${'i'.repeat(n + 1)}`,
  }))
  const decisions = judge([good, good, ...many], said, 0).map((one) =>
    one.decision === 'rejected' ? one.reason : one.decision,
  )
  expect(decisions.slice(0, 3)).toEqual(['new', 'repeated', 'new'])
  expect(decisions.filter((decision) => decision === 'new')).toHaveLength(mostMemories)
  expect(decisions.slice(-3)).toEqual(['too_many', 'too_many', 'too_many'])
})
