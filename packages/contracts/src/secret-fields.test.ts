import { expect, test } from 'vitest'
import { z } from 'zod'
import { openApiDocument } from './openapi.ts'
import { route, token } from './route.ts'
import { allRoutes } from './routes.ts'
import { keptSecretsOf } from './secret-fields.ts'

const answering = (field: string, more = {}) =>
  route({
    id: 'test.answering',
    method: 'POST',
    path: '/api/v1/test',
    summary: 'For a test',
    auth: token(),
    responses: { 200: z.object({ deep: z.array(z.object({ [field]: z.string() })) }) },
    ...more,
  })
const info = { title: 'T', version: '1', description: '' }

test('S6: no contract has an answer kept that holds a secret', () => {
  expect(allRoutes.flatMap((each) => keptSecretsOf(each).map((name) => `${each.id} ${name}`))).toEqual([])
})

test.for(['token', 'secret', 'pat', 'new_token', 'signing_secret', 'password'])(
  'S6: the document of an answer with %s is refused unless it is told once',
  (field) => {
    expect(() => openApiDocument([answering(field)], info)).toThrow(`holds ${field}`)
    expect(() => openApiDocument([answering(field, { tells_once: true })], info)).not.toThrow()
  },
)

test.for(['token_id', 'last_four', 'path', 'compat', 'secret_set_at'])('S6: %s is no secret', (field) => {
  expect(keptSecretsOf(answering(field))).toEqual([])
})
