import { expect, test } from 'vitest'
import { nextOfRelease, nextPublication } from './publication.rules.ts'

test.each([
  ['draft', true, 'draft'],
  ['published', true, 'draft'],
  ['withdrawn', true, 'draft'],
  ['published', false, 'nothing'],
  ['withdrawn', false, 'again'],
] as const)(
  'of an employee that is %s, with a draft: %s, the next publication is %s',
  (status, has_draft, next) => {
    expect(nextPublication({ status, has_draft })).toBe(next)
  },
)

const [mine, other] = ['db36c3fb-73e4-4434-b95c-e2dc0c9d4593', '1cdf7103-5cca-436b-96c8-01afaed8b60f']
test.each([
  ['of its own that is the same', { profile_id: mine, managed_by: 'release' }, true, 'same'],
  ['of its own that is new', { profile_id: mine, managed_by: 'release' }, false, 'publish'],
  ['that an operator has changed', { profile_id: mine, managed_by: 'operator' }, false, 'leave'],
  ['that an operator has published as it was', { profile_id: mine, managed_by: 'operator' }, true, 'leave'],
  ['that an operator created under its key', { profile_id: other, managed_by: 'operator' }, false, 'leave'],
  ['of another id under its key', { profile_id: other, managed_by: 'release' }, false, 'leave'],
  ['whose id another key has', undefined, false, 'leave'],
] as const)('with an employee %s, a release does what is right', (_, found, is_same, next) => {
  expect(nextOfRelease(found, { profile_id: mine, is_same })).toBe(next)
})
