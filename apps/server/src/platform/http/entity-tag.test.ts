import type { AnyRoute } from '@crewhall/contracts/route.ts'
import { expect, test } from 'vitest'
import { entityTagOf, isKnownTag, versionsWanted } from '#platform/http/entity-tag.ts'

test.each([
  [undefined, false],
  ['', false],
  ['"abc"', true],
  ['W/"abc"', true],
  ['"x", "abc"', true],
  ['*', true],
  ['abc', false],
  ['"abcd"', false],
])('a caller with If-None-Match %s has what "abc" names: %s', (header, known) => {
  expect(isKnownTag(header, '"abc"')).toBe(known)
})

test('a tag changes with the text, and shows the version of what has one', () => {
  const tag = entityTagOf('{"version":7}', { version: 7 })
  expect(tag).toMatch(/^"7-[\w-]{27}"$/)
  expect(entityTagOf('{"version":7,"more":1}', { version: 7 })).not.toBe(tag)
  expect(entityTagOf('[]', [])).toMatch(/^"[\w-]{27}"$/)
  expect(entityTagOf('{}', { version: '1.0' })).toMatch(/^"[\w-]{27}"$/)
})

const write = { method: 'PATCH', versioned: true } as AnyRoute

test.each([
  [undefined, undefined],
  ['*', undefined],
  ['"7"', [7]],
  ['"7-0f_-x"', [7]],
  ['"7", "8-x"', [7, 8]],
  ['W/"7"', []],
  ['7', []],
  ['"abc"', []],
  ['', []],
])('If-Match %s means the versions %j', (header, versions) => {
  expect(versionsWanted(write, header)).toEqual(versions)
})

test('If-Match is refused where nothing has a version, and means nothing to a read', () => {
  expect(() => versionsWanted({ method: 'PATCH' } as AnyRoute, '"7"')).toThrow(/has no version/)
  expect(versionsWanted({ method: 'GET' } as AnyRoute, '"7"')).toBeUndefined()
})
