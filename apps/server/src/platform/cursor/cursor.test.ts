import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCursors } from './cursor.ts'

const cursors = createCursors('a secret of thirty-two characters')
const cursor = cursors.issue('audit:12', '2026-11-15 05:00:00.123456+00|42')

test('what was issued for a list comes back for it, whatever the position', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (list, position) => {
      // Half a surrogate pair is no text that Postgres could hold.
      fc.pre(position.isWellFormed())
      expect(cursors.read(list, cursors.issue(list, position))).toBe(position)
    }),
  )
})

test('a cursor is made of characters that need no escaping in a query', () => {
  expect(cursor).toMatch(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$/)
})

test('another process with the same secret reads it, one with another secret does not', () => {
  expect(createCursors('a secret of thirty-two characters').read('audit:12', cursor)).toMatch(/\|42$/)
  expect(createCursors('another secret of thirty-two char').read('audit:12', cursor)).toBeUndefined()
})

test.each(['audit:1', 'audit:122', 'audit:', '', 'board:12', 'audit:12\n'])(
  'a cursor of audit:12 is no cursor of %j',
  (list) => expect(cursors.read(list, cursor)).toBeUndefined(),
)

test('a cursor in which any one character is replaced, dropped or added is refused', () => {
  for (let at = 0; at < cursor.length; at += 1) {
    for (const put of ['', 'A', '.', '=', `${cursor[at]}A`, cursor[at] === 'B' ? 'C' : 'B']) {
      const edited = cursor.slice(0, at) + put + cursor.slice(at + 1)
      if (edited !== cursor) expect([edited, cursors.read('audit:12', edited)]).toEqual([edited, undefined])
    }
  }
})

test.each(['', '.', 'x', '42', '2026-11-15T05:00:00Z', `${cursor}=`, `${cursor} `, ` ${cursor}`, '\u0000'])(
  '%j is no cursor',
  (text) => expect(cursors.read('audit:12', text)).toBeUndefined(),
)
