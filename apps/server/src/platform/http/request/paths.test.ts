import { describe, expect, test } from 'vitest'
import { fastifyPath, pathPattern, plainColons } from '#platform/http/request/paths.ts'

test.each([
  ['/api/v1/rows', '/api/v1/rows'],
  ['/api/v1/rows/{id}', '/api/v1/rows/:id'],
  ['/api/v1/a/{a_id}/b/{b_id}', '/api/v1/a/:a_id/b/:b_id'],
  ['/api/v1/entries:near', '/api/v1/entries::near'],
  ['/api/v1/a/{id}/entries:near', '/api/v1/a/:id/entries::near'],
  ['/api/v1/runs/{run_id}:finish', '/api/v1/runs/:run_id([\\s\\S]*)::finish'],
])('%s is %s for the router', (path, router) => {
  expect(fastifyPath(path)).toBe(router)
})

test.each([
  ['/entries:near', '/entries:near'],
  ['/entries%3Anear', '/entries:near'],
  ['/a%3ab/entries%3Anear?at=%3A', '/a:b/entries:near?at=%3A'],
  ['/entries%253Anear', '/entries%253Anear'],
  ['/%2F%3', '/%2F%3'],
])('LES-09 %s is routed as %s', (url, routed) => {
  expect(plainColons(url)).toBe(routed)
})

describe('the pattern of a path', () => {
  test.each([
    ['/api/v1/rows/{id}', '/api/v1/rows/7'],
    ['/api/v1/rows/{id}', '/api/v1/rows/%2f'],
    ['/api/v1/entries:near', '/api/v1/entries:near'],
    ['/api/v1/openapi.json', '/api/v1/openapi.json'],
    ['/pages/*', '/pages/one/two'],
    ['/pages/*', '/pages/'],
  ])('%s matches %s', (path, concrete) => {
    expect(pathPattern(path).test(concrete)).toBe(true)
  })

  test.each([
    ['/api/v1/rows/{id}', '/api/v1/rows/'],
    ['/api/v1/rows/{id}', '/api/v1/rows/7/8'],
    ['/api/v1/rows/{id}', '/x/api/v1/rows/7'],
    ['/api/v1/openapi.json', '/api/v1/openapiXjson'],
    ['/api/v1/entries:near', '/api/v1/entries:nearer'],
    ['/pages/*', '/pages'],
    ['/pages/*', '/x/pages/one'],
  ])('%s does not match %s', (path, concrete) => {
    expect(pathPattern(path).test(concrete)).toBe(false)
  })
})
