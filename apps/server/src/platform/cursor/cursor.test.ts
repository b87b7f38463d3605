import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createKeyRing } from '../secrets/key-ring.ts'
import { createKeyedDigests } from '../secrets/keyed-digests.ts'
import { createCursors } from './cursor.ts'

const secret = 'a-secret-of-thirty-two-characters'
const other = 'another-secret-of-thirty-two-char'
const first = { number: 1 }
const createCursorsOf = (...keys: Parameters<typeof createKeyRing>) =>
  createCursors(createKeyRing(...keys), first)
const cursors = createCursorsOf(secret)
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

test('a position that looks like a numbered one comes back whole', () => {
  expect(cursors.read('audit:12', cursors.issue('audit:12', '7~42'))).toBe('7~42')
})

test('a cursor is made of characters that need no escaping in a query', () => {
  expect(cursor).toMatch(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{51}$/)
})

test('another process with the same secret reads it, one with another secret does not', () => {
  expect(createCursorsOf(secret).read('audit:12', cursor)).toMatch(/\|42$/)
  expect(createCursorsOf(other).read('audit:12', cursor)).toBeUndefined()
})

test('S15: a cursor of the old key is read while that key is accepted, and new ones carry the new key', () => {
  const rotated = createCursorsOf(other, [secret])
  expect(rotated.read('audit:12', cursor)).toMatch(/\|42$/)
  expect(rotated.issue('audit:12', '42')).toBe(createCursorsOf(other).issue('audit:12', '42'))
  // The other way round: a process that was told of the coming key reads what a rotated one issues.
  expect(createCursorsOf(secret, [other]).read('audit:12', rotated.issue('audit:12', '42'))).toBe('42')
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

test('a cursor of another timeline is past, not read; those from before there were numbers belong to the first', () => {
  const restored = createCursors(createKeyRing(secret), { number: 2 })
  expect([restored.read('audit:12', cursor), restored.isPast('audit:12', cursor)]).toEqual([undefined, true])
  expect([cursors.isPast('audit:12', cursor), restored.isPast('audit:1', cursor)]).toEqual([false, false])
  const text = '2026-11-15 05:00:00.123456+00|42'
  const digest = createKeyedDigests(createKeyRing(secret), 'cursor').of(`audit:12\n${text}`)
  const old = `${Buffer.from(text).toString('base64url')}.${digest.toString('base64url')}`
  // The release before there were numbers reads them, beside processes of this one.
  expect(cursor).toBe(old)
  expect([cursors.read('audit:12', old), cursors.isPast('audit:12', old)]).toEqual([text, false])
  expect([restored.read('audit:12', old), restored.isPast('audit:12', old)]).toEqual([undefined, true])
  // One that went ahead of the database, because that was put back once more.
  expect(cursors.isPast('audit:12', restored.issue('audit:12', '7'))).toBe(true)
})
