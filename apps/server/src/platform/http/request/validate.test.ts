import { refusal } from '@crewhall/contracts/refusal.ts'
import { type AnyRoute, anyone, route } from '@crewhall/contracts/route.ts'
import { queryInteger, text } from '@crewhall/contracts/wire.ts'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { validateBody, validatePlace } from '#platform/http/request/validate.ts'

const base = {
  id: 'test.write',
  method: 'POST',
  path: '/api/v1/test/{id}',
  summary: 'Test',
  auth: anyone(),
  responses: { 200: z.object({}) },
} as const
const spec = route({
  ...base,
  params: z.object({ id: z.string().regex(/^\d+$/) }),
  query: z.object({ page: queryInteger(1, 9).optional() }),
  body: z.strictObject({
    kind: z.enum(['a', 'b']),
    deep: z.object({ list: z.array(text(1, 3)) }).optional(),
    pair: z.union([z.string(), z.number()]).optional(),
  }),
})
const validate = (
  of: AnyRoute,
  { params, query, body }: { params: unknown; query: unknown; body: unknown },
) => ({
  ...validatePlace(of, { params, query }),
  body: validateBody(of, body, 'brand'),
})
const fine = { params: { id: '1' }, query: {}, body: { kind: 'a' } }
const refused = (change: object, of: AnyRoute = spec) => {
  try {
    validate(of, { ...fine, ...change })
    return undefined
  } catch (error) {
    return error
  }
}

test('what is valid comes out in the types of the contract, and unknown parameters stay out', () => {
  expect(validate(spec, { ...fine, query: { page: '3', other: 'x' } })).toEqual({
    params: { id: '1' },
    query: { page: 3 },
    body: { kind: 'a' },
  })
})

describe('the sentence', () => {
  test.each([
    [{}, 'kind: is required'],
    [{ kind: null }, 'kind: must be one of: a, b'],
    [{ kind: 'a', deep: {} }, 'deep.list: is required'],
    [{ kind: 'a', deep: null }, 'deep: must be an object'],
    [{ kind: 'a', deep: { list: ['ok', 'long'] } }, 'deep.list.1: must be 1 to 3 characters long'],
    [{ kind: 'a', deep: { list: ['a\0'] } }, 'deep.list.0: must not contain NUL or unpaired surrogates'],
    [{ kind: 'a', pair: [] }, 'pair: must be a text, or a number'],
    [{ kind: 'a', other: 1 }, 'other: unknown field'],
    [[], 'body: must be an object'],
    [undefined, 'A JSON body is required'],
  ])('for the body %j is: %s', (body, detail) => {
    expect(refused({ body })).toMatchObject({ status: 422, detail })
  })

  test('names a field of a hundred characters at most, and cuts no character in two', () => {
    const { detail } = refused({ body: { kind: 'a', ['😀'.repeat(5000)]: 1 } }) as { detail: string }
    expect(detail).toBe(`${'😀'.repeat(100)}…: unknown field`)
  })
})

test('the board family is refused with 400', () => {
  expect(refused({ query: { page: '0' } }, { ...spec, invalid: 400 })).toMatchObject({ status: 400 })
})

describe('a path value that cannot name anything', () => {
  const missing = refusal(404, 'Thing not found')
  test.each(['x', '', '1\0', '\ud800'])(
    '%j gets the 404 of its route, before anything else is looked at',
    (id) => {
      const wrong = { params: { id }, query: { page: 'x' }, body: undefined }
      expect(refused(wrong)).toMatchObject({ status: 404, detail: 'Not found' })
      expect(refused(wrong, { ...spec, missing })).toMatchObject({ status: 404, detail: 'Thing not found' })
    },
  )
})
