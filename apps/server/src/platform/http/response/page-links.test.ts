import type { AnyRoute } from '@crewhall/contracts/route.ts'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { pageLinks } from '#platform/http/response/page-links.ts'

const plain = {} as AnyRoute
const linksOf = (url: string, page: number, total: number) =>
  pageLinks(plain, url, { items: [], total, page, per_page: 10 })

test('a page in the middle leads to its neighbours and to both ends, with everything else that was asked', () => {
  expect(linksOf('/list?page=2&per_page=10&detail=summary', 2, 25)).toBe(
    '</list?page=1&per_page=10&detail=summary>; rel="first", ' +
      '</list?page=1&per_page=10&detail=summary>; rel="prev", ' +
      '</list?page=3&per_page=10&detail=summary>; rel="next", ' +
      '</list?page=3&per_page=10&detail=summary>; rel="last"',
  )
})

test.each([
  ['the first', 1, 25, ['first', 'next', 'last']],
  ['the last', 3, 25, ['first', 'prev', 'last']],
  ['an empty list', 1, 0, ['first', 'last']],
  ['exactly one page', 1, 10, ['first', 'last']],
])('%s page has no more links than it needs', (_, page, total, rels) => {
  expect(linksOf('/list', page, total)?.match(/(?<=rel=")\w+/g)).toEqual(rels)
})

test('a page beyond the end leads back to the last one', () => {
  expect(linksOf('/list', 9, 25)).toContain('</list?page=3&per_page=10>; rel="prev"')
})

test('a list with a cursor leads on under the name that the list has for it', () => {
  const spec = { query: z.object({ since: z.string().optional() }) } as unknown as AnyRoute
  expect(pageLinks(spec, '/feed?limit=5', { items: [], next_cursor: 'a+b' })).toBe(
    '</feed?limit=5&since=a%2Bb>; rel="next"',
  )
  expect(pageLinks(spec, '/feed', { items: [], next_cursor: null })).toBeUndefined()
})

test.each([
  ['what is no list', '/thing', { id: 1 }],
  ['an address that could end the link early', '/list?q=>;rel="x"', { page: 1, per_page: 1, total: 1 }],
  ['an address too long for a header', `/list?q=${'a'.repeat(2000)}`, { page: 1, per_page: 1, total: 1 }],
])('%s has no links', (_, url, body) => {
  expect(pageLinks(plain, url, body)).toBeUndefined()
})
