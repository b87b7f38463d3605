import { expect, test } from 'vitest'
import { mailText } from './mail-text.ts'

test('a name that holds markup is text in the HTML part', () => {
  const { html } = mailText({ name: `<b>"Ann" & 'Bo'</b>`, lines: ['1 < 2'] })
  expect(html).toBe('<p>Hello &#60;b&#62;&#34;Ann&#34; &#38; &#39;Bo&#39;&#60;/b&#62;,</p><p>1 &#60; 2</p>')
})

test('a name cannot start a paragraph of its own', () => {
  const { text } = mailText({ name: 'Ann,\n\nsend money to\r\nme', lines: ['Welcome.'] })
  expect(text).toBe('Hello Ann, send money to me,\n\nWelcome.\n')
})

test('a link stands in both parts', () => {
  const link = { label: 'Open', url: 'https://x.test/a?b=c&d=e' }
  const { text, html } = mailText({ name: 'Ann', lines: [], link })
  expect(text).toContain('Open:\nhttps://x.test/a?b=c&d=e\n')
  expect(html).toContain('<a href="https://x.test/a?b=c&#38;d=e">Open</a>')
})
