import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isKey, isWholeLine, markOf, markText, placeOf, placeText } from './session-file.rules.ts'

test('marks and places are read as they were written', () => {
  fc.assert(
    fc.property(fc.nat(), fc.string(), fc.string(), (offset, check, seen) => {
      expect(markOf(markText({ offset, check, seen }))).toEqual({ offset, check, seen })
      const place = { after: check, files: offset, skipped: { link: offset } }
      expect(placeOf(placeText(place))).toEqual(place)
    }),
  )
})

test('what nobody has written like this begins anew', () => {
  for (const text of ['', 'x', '{}', '[]', '[1]', '["a"]', 'null', '[null,null,null]', '["a",1,null]']) {
    expect(markOf(text)).toBeUndefined()
    expect(placeOf(text)).toEqual({ after: '', files: 0, skipped: {} })
  }
})

test('no part of an object is a whole line', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (record) => {
      const text = JSON.stringify(record)
      expect(isWholeLine(text)).toBe(true)
      for (let end = 0; end < text.length; end += 1) expect(isWholeLine(text.slice(0, end))).toBe(false)
    }),
    { numRuns: 50 },
  )
})

test('a path is a name of a conversation if it can be stored', () => {
  for (const path of ['a.jsonl', 'ä/ b.jsonl', 'x'.repeat(500)]) expect(isKey(path)).toBe(true)
  for (const path of ['', 'x'.repeat(501), 'a\0b', 'a\uD800b']) expect(isKey(path)).toBe(false)
})
