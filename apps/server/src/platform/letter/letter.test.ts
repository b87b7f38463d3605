import { expect, test } from 'vitest'
import { writeLetter } from '#platform/letter/letter.ts'
import { oneLine } from '#platform/letter/one-line.ts'

const sender = { service_name: 'Crewhall', public_url: 'https://x.test' }
const unexpected = 'If you did not expect this, do nothing.'

test('K20: a letter says the same as text and as HTML', () => {
  const action = { label: 'Open', url: 'https://x.test/a?b=c&d=e' }
  const lines = ['Bo invites you.', 'Until Monday.']
  const letter = writeLetter(
    { to: 'a@x.test', subject: 'Hi', name: 'Ann', lines, action, unexpected },
    sender,
  )
  expect(letter.text).toBe(
    'Hello Ann,\n\nBo invites you.\n\nUntil Monday.\n\nOpen:\nhttps://x.test/a?b=c&d=e\n\n' +
      'If you did not expect this, do nothing.\n\n--\nCrewhall · https://x.test\n',
  )
  for (const part of ['Hello Ann,', ...lines, unexpected, 'Crewhall · https://x.test']) {
    expect(letter.html).toContain(`>${part}<`)
  }
  expect(letter.html).toContain('href="https://x.test/a?b=c&#38;d=e"')
})

test('a letter that comes again says where it is ended, in its text and to mail clients', () => {
  const unsubscribe_url = 'https://x.test/u?a=b&c=d'
  const letter = writeLetter(
    { to: 'a@x.test', subject: 'Hi', lines: [], unexpected, unsubscribe_url },
    sender,
  )
  expect(letter.text).toContain(`Stop these e-mails:\n${unsubscribe_url}\n`)
  expect(letter.html).toContain('href="https://x.test/u?a=b&#38;c=d"')
  expect(letter.headers).toEqual({
    'List-Unsubscribe': `<${unsubscribe_url}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  })
})

test('K20: a name that holds markup is text in the HTML part', () => {
  const named = { to: 'a@x.test', subject: '<Hi>', name: `<b>"Ann" & 'Bo'</b>`, lines: ['1 < 2'], unexpected }
  const { html } = writeLetter(named, sender)
  expect(html).toContain('>Hello &#60;b&#62;&#34;Ann&#34; &#38; &#39;Bo&#39;&#60;/b&#62;,<')
  expect(html).toContain('>1 &#60; 2<')
  expect(html).toContain('<title>&#60;Hi&#62;</title>')
})

test.for([
  ['line breaks', 'Ann,\r\n\r\nsend money to\nme', 'Ann, send money to me'],
  ['a header', 'Ann\r\nBcc: victim@x.test', 'Ann Bcc: victim@x.test'],
  ['other control characters', 'A\u0000n\u0007n\u001b[31m\u0085!', 'A n n [31m !'],
  ['separators of lines and paragraphs', 'A\u2028B\u2029C\u000bD', 'A B C D'],
  ['marks of direction', '\u202eevil\u202c \u2067x\u2069', 'evil x'],
  ['what nobody sees', '\u200bAnn\ufeff ', 'Ann'],
  ['half of a character', 'Ann\ud83d', 'Ann'],
] as const)('S8: a name with %s is one line', ([, name, line]) => {
  expect(oneLine(name)).toBe(line)
  const letter = writeLetter({ to: 'a@x.test', subject: name, name, lines: [], unexpected }, sender)
  expect(letter.subject).toBe(line)
  expect(letter.text.split('\n')[0]).toBe(`Hello ${line},`)
})

test('S8: a very long name is cut, between characters', () => {
  expect(oneLine('x'.repeat(100))).toHaveLength(100)
  expect(oneLine('😀'.repeat(5000))).toBe(`${'😀'.repeat(99)}…`)
})
