import { Uuid } from '@crewhall/contracts/wire.ts'
import { expect, test } from 'vitest'
import { purposeIdOf } from './purpose-id.ts'

test('each agent has an id of its own for each purpose, which no source has', () => {
  const id = purposeIdOf('consolidation', 'build-bot')
  expect(Uuid.parse(id)).toBe(id)
  // Ids of sources are of version 7.
  expect(id[14]).toBe('8')
  expect(purposeIdOf('consolidation', 'build-bot')).toBe(id)
  expect(purposeIdOf('consolidation', 'build-bot-2')).not.toBe(id)
  expect(purposeIdOf('recall', 'build-bot')).not.toBe(id)
})
