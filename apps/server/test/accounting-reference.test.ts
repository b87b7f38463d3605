import { openApiDocument } from '@crewhall/contracts/openapi.ts'
import { allRoutes } from '@crewhall/contracts/routes.ts'
import { expect, test } from 'vitest'
import { documentInfo } from '#platform/http/docs.ts'

interface Operation {
  readonly operationId: string
  readonly description: string
  readonly 'x-codeSamples': readonly { readonly source: string }[]
  readonly requestBody?: { readonly content: Record<string, { readonly example?: unknown }> }
  readonly responses: Record<string, { readonly description: string; readonly headers?: object }>
}

const document = openApiDocument(allRoutes, documentInfo('0.0.0'))
const operations = Object.values(document.paths as Record<string, Record<string, Operation>>).flatMap(
  (path) => Object.values(path),
)
const idsOf = (found: readonly Operation[]) => found.map(({ operationId }) => operationId)

test('K24: no operation is without a description of its own and a call to copy', () => {
  expect(operations).toHaveLength(allRoutes.length)
  expect(allRoutes.filter(({ description = '' }) => description.length < 20).map(({ id }) => id)).toEqual([])
  const called = operations.filter((each) => each['x-codeSamples'][0]?.source.startsWith('curl '))
  expect(idsOf(called)).toEqual(idsOf(operations))
})

test('K24: every body has an example, which its own schema takes', () => {
  const refused = allRoutes.filter(({ body, example }) => body && !body.safeParse(example?.body).success)
  expect(refused.map(({ id }) => id)).toEqual([])
  const bodies = operations.flatMap(({ operationId, requestBody }) => {
    const json = requestBody?.content['application/json']
    return json && json.example === undefined ? [operationId] : []
  })
  expect(bodies).toEqual([])
})

test('K24: every query of an example is one that the route takes', () => {
  const refused = allRoutes.filter(
    ({ query, example }) => example?.query && !query?.safeParse(example.query).success,
  )
  expect(refused.map(({ id }) => id)).toEqual([])
  const strict = allRoutes.flatMap(({ id, query, example }) =>
    Object.keys(example?.query ?? {})
      .filter((name) => !(name in ((query as { shape?: object } | undefined)?.shape ?? {})))
      .map((name) => `${id} ${name}`),
  )
  expect(strict).toEqual([])
})

test('K24: a refusal is told once, and what stands in angle brackets is told at all', () => {
  const texts = operations.flatMap(({ operationId, responses }) =>
    Object.values(responses).map(({ description }) => [operationId, description] as const),
  )
  const twice = texts.filter(([, text]) => new Set(text.split('\n')).size < text.split('\n').length)
  expect(twice).toEqual([])
  expect(texts.filter(([, text]) => /(^|[^\\])</.test(text))).toEqual([])
  expect(texts.some(([, text]) => text.includes('\\<'))).toBe(true)
})

test('K24: every answer that was good, and every one that asks to wait, names its headers', () => {
  // The 503 of health is its answer, not an outage.
  const others = operations.filter(({ operationId }) => operationId !== 'system.getHealth')
  const bare = others.filter(({ responses }) =>
    Object.entries(responses).some(
      ([status, { headers = {} }]) =>
        (Number(status) < 300 && !('X-Request-Id' in headers)) ||
        (['429', '503'].includes(status) && !('Retry-After' in headers)),
    ),
  )
  expect(idsOf(bare)).toEqual([])
})

test('K24: no sample number comes from the limits of the language', () => {
  expect(JSON.stringify(document)).not.toContain('9007199254740991')
})
