import { plantedSecrets, secretLookAlikes } from '@crewhall/testkit/planted-secrets.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { redactSecrets } from './redact-secrets.ts'

describe(`C27: ${plantedSecrets.length} planted shapes`, () => {
  test.each(plantedSecrets)('$name is taken out, and only it', ({ text, values }) => {
    const { text: left, count } = redactSecrets(`We said before.\n\n${text}\n\nWe said after.`)
    for (const value of values) expect(left).not.toContain(value)
    expect(left).toMatch(/^We said before\.\n\n/)
    expect(left).toMatch(/\n\nWe said after\.$/)
    expect(left).toContain('[redacted: ')
    expect(count).toBeGreaterThan(0)
  })

  test('all are taken out of one text, and doing it again changes nothing', () => {
    const once = redactSecrets(plantedSecrets.map(({ text }) => text).join('\n\n'))
    for (const value of plantedSecrets.flatMap(({ values }) => values)) expect(once.text).not.toContain(value)
    expect(redactSecrets(once.text)).toEqual({ text: once.text, count: 0 })
  })

  test('each is found behind quotes, brackets, equals signs and Markdown', () => {
    const alone = plantedSecrets.filter(({ text }) => text.startsWith('Use '))
    for (const { name, values } of alone) {
      const [value = ''] = values
      for (const around of [
        `"${value}"`,
        `\`${value}\``,
        `(${value})`,
        `KEY=${value}`,
        `**${value}**`,
        `${value},`,
      ]) {
        expect(redactSecrets(around).text, name).not.toContain(value)
      }
    }
  })
})

test.each(secretLookAlikes)(`C27: unharmed among ${secretLookAlikes.length} look-alikes: %s`, (text) => {
  expect(redactSecrets(text)).toEqual({ text, count: 0 })
})

test('C27: there are as many shapes and look-alikes as promised', () => {
  expect(plantedSecrets.length).toBeGreaterThanOrEqual(60)
  expect(new Set(secretLookAlikes).size).toBeGreaterThanOrEqual(60)
})

test('what follows a key that was cut off stays', () => {
  const begin = ['-----BEGIN RSA', 'PRIVATE KEY-----'].join(' ')
  const body = `${'aGVsbG8gd29ybGQ'.repeat(4)}\n${'c2Vjb25kIGxpbmU'.repeat(4)}`
  const { text } = redactSecrets(`Here:\n${begin}\n${body}\n\nThe rest of the message is about deployment.`)
  expect(text).toBe('Here:\n[redacted: private key]\n\nThe rest of the message is about deployment.')
})

const planted = fc.constantFrom(...plantedSecrets)
const prose = fc.string({ unit: 'grapheme', maxLength: 60 })

test('whatever is around it, redacting twice changes nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(prose, planted), { maxLength: 6 }), (parts) => {
      const once = redactSecrets(parts.map(([words, { text }]) => `${words} ${text}`).join('\n')).text
      expect(redactSecrets(once).text).toBe(once)
    }),
  )
})

describe('hostile text, up to a megabyte, is read in linear time', () => {
  const size = scaled(1_000_000, 300_000)
  const fill = (piece: string) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size)
  const key = ['-----BEGIN', 'PRIVATE KEY-----'].join(' ')
  test.each([
    'a',
    '0',
    'eyJ',
    'eyJa.eyJ',
    'sk-',
    'sk_live_',
    'pul-0',
    'token',
    'password',
    'password=',
    'secret: "',
    '://a:',
    '://:',
    ':@',
    'bearer ',
    'cookie: a=',
    'AKIA',
    'ntn_0123456789',
    'xox',
    'M.',
    '\\n',
    `${key}\n`,
    `${key}\\`,
    `${key}\n\n\n`,
    '-----END',
    '-----',
    'abcdefghijklmnopqrst0\n',
    'machine a login b password ',
    ' is ',
    '1 ',
    '> ',
  ])('%j', (piece) => {
    const text = fill(piece)
    const before = process.threadCpuUsage()
    redactSecrets(text)
    // A quadratic pattern needs minutes for this.
    expect(process.threadCpuUsage(before).user / 1e6).toBeLessThan(5)
  })
})
