import { Uuid } from '@crewhall/contracts/wire.ts'
import { expect, test } from 'vitest'
import { consolidationIdOf } from './consolidation-id.ts'

test('each agent has one id of its own, which no source has', () => {
  const id = consolidationIdOf('build-bot')
  expect(Uuid.parse(id)).toBe(id)
  // Ids of sources are of version 7.
  expect(id[14]).toBe('8')
  expect(consolidationIdOf('build-bot')).toBe(id)
  expect(consolidationIdOf('build-bot-2')).not.toBe(id)
})
