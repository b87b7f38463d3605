import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { callersOf } from './code-sample.ts'
import { openApiDocument } from './openapi.ts'
import { type AdminInput, type RouteCall, type RouteInput, route, sessionOrAdmin } from './route.ts'

const planted = route({
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

test('the reference names both credentials and both bodies, and says who may call', () => {
  const document = openApiDocument([planted], { title: 'Planted', version: '1', description: '' }) as {
    paths: Record<string, { post: { security: unknown; requestBody: { content: Record<string, unknown> } } }>
  }
  const described = document.paths['/api/v1/planted']?.post
  expect(described?.security).toEqual([{ admin_key: [] }, { session: [] }])
  expect(described?.requestBody.content['application/json']).toMatchObject({
    schema: {
      anyOf: [
        { title: 'With a session', type: 'object' },
        {
          title: 'As a platform admin',
          required: ['brand_id'],
          properties: { brand_id: { type: 'integer', 'x-tenant-resource': 'brand' } },
        },
      ],
    },
  })
  expect(callersOf(planted)).toBe(
    'A session of a member, or platform admins by the admin key or their session.',
  )
})

test('handlers and callers get the body of each path in its type', () => {
  expectTypeOf<AdminInput<typeof planted>['body']>().toEqualTypeOf<{ brand_id: number }>()
  expectTypeOf<RouteInput<typeof planted>['body']>().not.toEqualTypeOf<{ brand_id: number }>()
  expectTypeOf<{ body: { brand_id: number } }>().toExtend<RouteCall<typeof planted>>()
  expectTypeOf<{ body: Record<string, never> }>().toExtend<RouteCall<typeof planted>>()
})
