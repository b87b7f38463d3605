import { expect, test } from 'vitest'
import { isWorking } from './running.rules.ts'

const now = new Date('2026-03-01T00:00:00Z')
const later = '2026-03-01T00:00:00.001Z'
const earlier = '2026-03-01T00:00:00Z'

test.each([
  [{ status: 'provisioning', effective_at: null, ended_at: null }, false],
  [{ status: 'active', effective_at: null, ended_at: null }, true],
  [{ status: 'canceled', effective_at: later, ended_at: null }, true],
  [{ status: 'canceled', effective_at: earlier, ended_at: null }, false],
  [{ status: 'canceled', effective_at: later, ended_at: earlier }, false],
] as const)('%o works: %s', (hire, works) => expect(isWorking(hire, now)).toBe(works))
