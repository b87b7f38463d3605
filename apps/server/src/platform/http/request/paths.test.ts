import { describe, expect, test } from 'vitest'
import { fastifyPath, pathPattern } from '#platform/http/request/paths.ts'

test.each([
  ['/api/v1/rows', '/api/v1/rows'],
  ['/api/v1/rows/{id}', '/api/v1/rows/:id'],
  ['/api/v1/a/{a_id}/b/{b_id}', '/api/v1/a/:a_id/b/:b_id'],
  ['/api/v1/entries:near', '/api/v1/entries::near'],
  ['/api/v1/a/{id}/entries:near', '/api/v1/a/:id/entries::near'],
])('%s is %s for the router', (path, router) => {
  expect(fastifyPath(path)).toBe(router)
})

describe('the pattern of a path', () => {
  test.each([
    ['/api/v1/rows/{id}', '/api/v1/rows/7'],
    ['/api/v1/rows/{id}', '/api/v1/rows/%2f'],
    ['/api/v1/entries:near', '/api/v1/entries:near'],
    ['/api/v1/openapi.json', '/api/v1/openapi.json'],
  ])('%s matches %s', (path, concrete) => {
    expect(pathPattern(path).test(concrete)).toBe(true)
  })

  test.each([
    ['/api/v1/rows/{id}', '/api/v1/rows/'],
    ['/api/v1/rows/{id}', '/api/v1/rows/7/8'],
    ['/api/v1/rows/{id}', '/x/api/v1/rows/7'],
    ['/api/v1/openapi.json', '/api/v1/openapiXjson'],
    ['/api/v1/entries:near', '/api/v1/entries:nearer'],
  ])('%s does not match %s', (path, concrete) => {
    expect(pathPattern(path).test(concrete)).toBe(false)
  })
})
