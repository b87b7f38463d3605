import { refusal } from '@crewhall/contracts/refusal.ts'
import { route, sessionOrAdmin, token } from '@crewhall/contracts/route.ts'
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

test('a session is expected to act in its own workspace, whatever the body names, and a token to be unknown', () => {
  const either = route({
    id: 'planted.hire',
    method: 'POST',
    path: '/api/v1/planted',
    summary: 'Planted',
    auth: sessionOrAdmin(),
    body: z.object({}),
    admin_body: z.object({ brand_id: z.int() }),
    resources: { 'body.brand_id': 'brand' },
    responses: { 200: z.object({}) },
  })
  const session = { ...caller, credential: 'session' } as const
  for (const kind of ['own', 'foreign', 'missing', 'malformed'] as const) {
    expect(expectedStatus(either, session, { 'body.brand_id': kind })).toBe(200)
    expect(expectedStatus(either, caller, { 'body.brand_id': kind })).toBe(401)
  }
  expect(expectedStatus(either, { ...session, brand: null }, { 'body.brand_id': 'own' })).toBe(403)
})
