import { readFileSync, writeFileSync } from 'node:fs'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Document, surfaceOf } from './surface.ts'

const server = useSharedServer('product')
let document: Document
beforeAll(async () => {
  document = (await (await server.get('/api/v1/openapi.json')).json()) as Document
})

const noRoute = '{"detail":"Not found"}'
const anyId = '00000000-0000-4000-8000-000000000000'

test('VER-01: every route is under /api/v1, and none is there without it', async () => {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ path, method: method.toUpperCase() })),
  )
  expect(calls.length).toBeGreaterThan(100)
  expect(calls.filter(({ path }) => !path.startsWith('/api/v1/'))).toEqual([])
  for (const { path, method } of calls) {
    const outside = path.slice('/api/v1'.length).replaceAll(/\{\w+\}/g, anyId)
    const response = await server.get(outside, { method })
    expect([method, outside, response.status, await response.text()]).toEqual([method, outside, 404, noRoute])
  }
})

test('VER-01: the routes of boards answer there', async () => {
  const calls = Object.entries(document.paths).filter(([path]) => path.startsWith('/api/v1/board/'))
  expect(calls.length).toBeGreaterThan(20)
  for (const [path, methods] of calls) {
    for (const method of Object.keys(methods)) {
      const response = await server.get(path.replaceAll(/\{\w+\}/g, anyId), { method: method.toUpperCase() })
      await response.text()
      expect([method, path, response.status]).toEqual([method, path, 401])
    }
  }
})

describe('the published interface of boards', () => {
  // `UPDATE_GOLDEN=1` adds what is new. Nothing is ever taken out of this file within `/api/v1`.
  const file = new URL('./golden/surface.txt', import.meta.url)
  const published = () => readFileSync(file, 'utf8').split('\n').filter(Boolean)
  const routeOf = (line: string) => line.split(' ', 2).join(' ')
  const isNeed = (line: string) => line.split(' ')[2] === 'needs'
  beforeAll(() => {
    if (!process.env.UPDATE_GOLDEN) return
    const known = published()
    const routes = new Set(known.map(routeOf))
    const more = surfaceOf(document, '/api/v1/board/').filter(
      (line) => !isNeed(line) || !routes.has(routeOf(line)),
    )
    writeFileSync(file, `${[...new Set([...known, ...more])].sort().join('\n')}\n`)
  })

  test('VER-G1, VER-04: holds everything that it ever held', () => {
    const now = new Set(surfaceOf(document, '/api/v1/board/'))
    const gone = published().filter((line) => !isNeed(line) && !now.has(line))
    expect(published().length).toBeGreaterThan(500)
    expect(gone).toEqual([])
  })

  test('VER-G1, VER-04: asks for nothing that it did not ask for before', () => {
    const known = new Set(published())
    const routes = new Set(published().map(routeOf))
    const asked = surfaceOf(document, '/api/v1/board/').filter(isNeed)
    expect(asked.filter((line) => routes.has(routeOf(line)) && !known.has(line))).toEqual([])
  })

  test('a field that is gone and a field that is needed are noticed', () => {
    const text = JSON.stringify(document)
    const without = JSON.parse(text.replaceAll('"branch"', '"twig"')) as Document
    const now = new Set(surfaceOf(without, '/api/v1/board/'))
    expect(published().some((line) => line.endsWith('.branch string') && !now.has(line))).toBe(true)
    const path = '/api/v1/board/boards/{board_id}/tasks'
    const stricter = JSON.parse(
      text.replaceAll('"required":["title"]', '"required":["title","labels"]'),
    ) as Document
    const known = new Set(published())
    const asked = surfaceOf(stricter, path).filter((line) => routeOf(line) === `POST ${path}`)
    expect(asked.filter((line) => isNeed(line) && !known.has(line))).toEqual([
      `POST ${path} needs body.labels`,
    ])
  })
})
