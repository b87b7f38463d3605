import { expect, test } from 'vitest'
import { Email } from './sessions.ts'

const isEmail = (text: string) => Email.safeParse(text).success
const long63 = 'a'.repeat(63)

test.each([
  'ann@example.org',
  'a@b.co',
  'first.last+tag@mail.example.org',
  "o'brien_%{x}=?~`|!#$&*/^-@example.org",
  '1@2.example',
  'ann@xn--bcher-kva.example',
  'änne@bücher.example',
  '用户@例子.公司',
  `a@${long63}.org`,
  'a@b-c.d-e.org',
])('S16: %s is an e-mail address', (text) => expect(isEmail(text)).toBe(true))

test.each([
  'a..b@example.org',
  '.a@example.org',
  'a.@example.org',
  'a@example..org',
  'a@.example.org',
  'a@example.org.',
  'a@-example.org',
  'a@example-.org',
  'a@example',
  'a@127.0.0.1',
  'a@[127.0.0.1]',
  'a b@example.org',
  'a\u00a0b@example.org',
  'a\u200bb@example.org',
  'a\u0000@example.org',
  'a\u007f@example.org',
  'a\r\nBcc:x@example.org',
  '"a b"@example.org',
  'a@b@example.org',
  'a,b@example.org',
  'a;b@example.org',
  'a:b@example.org',
  'a(c)@example.org',
  'a<b>@example.org',
  'a\\b@example.org',
  'a@exam_ple.org',
  'a@exa/mple.org',
  `a@a${long63}.org`,
  `a@${`${'b'.repeat(60)}.`.repeat(5)}org`,
  '',
])('S16: %j is none', (text) => expect(isEmail(text)).toBe(false))

test('a hostile text is judged at once', () => {
  const before = performance.now()
  for (const part of ['a.', 'a-', '.', '-', 'a@', "a'"]) expect(isEmail(`${part.repeat(100)}!`)).toBe(false)
  expect(performance.now() - before).toBeLessThan(2000)
})
