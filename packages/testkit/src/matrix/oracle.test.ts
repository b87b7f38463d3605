import { refusal } from '@crewhall/contracts/refusal.ts'
import { route, token } from '@crewhall/contracts/route.ts'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { expectedStatus } from './oracle.ts'

const planted = route({
  id: 'planted.find',
  method: 'GET',
  path: '/api/v1/planted/{card_id}',
  summary: 'Planted',
  auth: token(),
  params: z.object({ card_id: z.string() }),
  resources: { card_id: 'card' },
  responses: { 200: z.object({}) },
})
const caller = {
  name: 'member',
  credential: 'token',
  brand: 'one',
  role: 'member',
  scopes: [],
  is_live: true,
} as const

test('a malformed id in the path is expected to be refused as the contract says', () => {
  const strict = { ...planted, missing: refusal(422, 'card_id: must be a UUID') }
  expect(expectedStatus(planted, caller, { card_id: 'malformed' })).toBe(404)
  expect(expectedStatus(strict, caller, { card_id: 'malformed' })).toBe(422)
  expect(expectedStatus(strict, caller, { card_id: 'missing' })).toBe(404)
})
