import type { Actor, Worker } from '@crewhall/contracts/boards/card-fields.ts'
import { expect, test } from 'vitest'
import { deriveSettled, deriveWanted } from './readers.rules.ts'

const member = (id: number): Actor & Worker => ({
  kind: 'member',
  id: `${id}`,
  name: 'M',
  on_behalf_of: null,
})
const agent = (id: number): Actor => ({
  kind: 'agent',
  id: 'token',
  name: 'A',
  on_behalf_of: { id: `${id}`, name: 'M' },
})
const guest: Actor = { ...member(9), kind: 'guest' }
const card = { assignee: null, reporter: member(1), status: 'pending', blocked_reason: null } as const
const builder: Worker = { kind: 'agent', id: 'builder', name: 'Builder' }
const told = (wanted: ReturnType<typeof deriveWanted>) =>
  wanted.map(({ person_id, kind }) => `${kind} ${person_id}`)

test.each([
  ['a new card of another', undefined, { assignee: member(2) }, member(1), ['assigned 2']],
  ['a card taken oneself', card, { assignee: member(2) }, member(2), []],
  ['a card that an agent gives to its person', card, { assignee: member(2) }, agent(2), ['assigned 2']],
  ['a card of an agent', card, { assignee: builder }, member(1), []],
  ['the same assignee', { ...card, assignee: member(2) }, { assignee: member(2) }, member(1), []],
  ['a review', card, { status: 'review', assignee: builder }, agent(1), ['review_wanted 1']],
  ['a review of one’s own', card, { status: 'review' }, member(1), []],
  ['a question', card, { blocked_reason: 'Why?' }, agent(1), ['asks_you 1']],
  ['a question of a guest, of a guest', card, { status: 'blocked', reporter: guest }, guest, []],
] as const)('%s', (_, before, change, by, wanted) => {
  expect(told(deriveWanted(before, { ...card, ...change }, by))).toEqual(wanted)
})

test('a card that goes on settles what was wanted', () => {
  const review = { status: 'review', blocked_reason: 'Why?' } as const
  expect(deriveSettled(review, { status: 'done', blocked_reason: null })).toEqual([
    'review_wanted',
    'asks_you',
  ])
  expect(deriveSettled(review, review)).toEqual([])
})
