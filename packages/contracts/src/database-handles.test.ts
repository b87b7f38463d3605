import { expect, test } from 'vitest'
import { z } from 'zod'
import { openApiDocument, refusalsOf } from './openapi.ts'
import { isRead, route, takesDryRun, takesKey, token } from './route.ts'

const search = route({
  id: 'planted.search',
  method: 'POST',
  is_read: true,
  path: '/api/v1/planted/search',
  summary: 'Planted',
  auth: token(),
  database: 'memory',
  dry_run: true,
  body: z.object({ query: z.string().max(10) }),
  responses: { 200: z.object({}) },
})
const { is_read: _, database: __, ...change } = search

interface Operation {
  readonly parameters?: readonly { readonly name: string }[]
  readonly responses: Readonly<Record<string, { readonly description: string; readonly headers?: object }>>
}
function operationOf(spec: Parameters<typeof takesKey>[0]): Operation {
  const { paths } = openApiDocument([spec], { title: 'Planted', version: '1', description: '' })
  return (paths as Record<string, { post: Operation }>)[spec.path]?.post as Operation
}

test('a POST that only reads is a read: it takes no key and no dry run, and its document says so', () => {
  expect([search, change].map((spec) => [isRead(spec), takesKey(spec), takesDryRun(spec)])).toEqual([
    [true, false, false],
    [false, true, true],
  ])
  const names = (spec: Parameters<typeof takesKey>[0]) =>
    operationOf(spec).parameters?.map(({ name }) => name)
  expect(names(search)).toBeUndefined()
  expect(names(change)).toEqual(['dry_run', 'Idempotency-Key'])
  expect(refusalsOf(search).get(422)).toEqual(['The request is malformed'])
})

test('a route on a handle of its own documents 502 and 504 with their texts, and others do not', () => {
  const { responses } = operationOf(search)
  expect(responses['502']?.description).toBe('The memory service cannot be reached')
  expect(responses['504']?.description).toBe('The memory service did not respond within 30 seconds')
  expect(responses['504']?.headers).toHaveProperty('Retry-After')
  expect(Object.keys(operationOf(change).responses)).not.toContain('502')
})
