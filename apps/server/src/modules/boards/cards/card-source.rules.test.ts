import { expect, test } from 'vitest'
import { deriveSource } from './cards.rules.ts'

const card = (source: 'member' | 'guest' | 'agent' | 'import') => ({
  ...{ source, title: 'T', description: 'D', labels: ['l'] },
})
const all = { title: 'T', description: 'D', labels: ['l'] }

test.each([
  ['a new card has the source of whoever made it', undefined, 'guest', all, 'guest'],
  ['the platform imports', undefined, 'system', all, 'import'],
  ['a guest who changes a text', card('member'), 'guest', { labels: ['m'] }, 'guest'],
  ['a guest who sends what stands there', card('member'), 'guest', all, 'member'],
  ['a guest who sends no text', card('agent'), 'guest', {}, 'agent'],
  ['a member who changes some texts of a guest', card('guest'), 'member', { title: 'U' }, 'guest'],
  ['a member who stands for all texts of a guest', card('guest'), 'member', all, 'member'],
  ['an agent that writes all texts of a guest anew', card('guest'), 'agent', all, 'guest'],
  ['an agent that writes all texts of a member anew', card('member'), 'agent', all, 'member'],
] as const)('%s', (_, before, kind, change, source) => {
  expect(deriveSource(before, { kind }, change)).toBe(source)
})
