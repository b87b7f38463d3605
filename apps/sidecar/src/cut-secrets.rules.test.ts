import { expect, test } from 'vitest'
import { cutSecrets } from './cut-secrets.rules.ts'

const pem = ['-----BEGIN', ' PRIVATE KEY-----\nMC4CAQAwBQYDK2Vw\n-----END PRIVATE KEY-----'].join('')

test.each([
  ['a join secret', 'refused dsk_abcdefghijklmnop-0123', 'refused [cut]'],
  ['a token', 'chp_0123456789abcdef was refused', '[cut] was refused'],
  ['a key', `key ${pem} end`, 'key [cut] end'],
  ['half a key', pem.slice(0, 50), '[cut]'],
  ['a header', 'Authorization: Bearer abc.def-ghi', 'Authorization: [cut]'],
  ['a header as JSON', '{"authorization":"Bearer abcdefgh","a":1}', '{"authorization":"[cut]","a":1}'],
  ['a scheme alone', 'sent bearer abcdefgh', 'sent bearer [cut]'],
  ['a password in an address', 'https://me:secret@example.test/a', 'https://[cut]@example.test/a'],
  ['a query', 'GET http://127.0.0.1/install?pat=x&b=1 failed', 'GET http://127.0.0.1/install?[cut] failed'],
])('%s is cut out', (_, text, expected) => {
  expect(cutSecrets(text)).toBe(expected)
})

test('other words stay', () => {
  const text = '{"level":"info","msg":"registered","env_id":"1b0e","url":"http://127.0.0.1:8400/api/v1/beat"}'
  expect(cutSecrets(text)).toBe(text)
})
