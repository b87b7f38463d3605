import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clientNetwork } from '#platform/http/limits/client-network.ts'
import { deriveClient, deriveNetwork } from './client.rules.ts'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'

test.for([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/141.0.0.0 Safari/537.36`, 'Chrome on Windows'],
  [`Mozilla/5.0 (Windows NT 10.0) ${webkit} Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0`, 'Edge on Windows'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1',
    'Safari on iOS',
  ],
  [`Mozilla/5.0 (Linux; Android 16) ${webkit} Chrome/141.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
  ['curl/8.11.0', 'curl'],
  ['node', 'node'],
  ['<script>alert(1)</script>', null],
  ['', null],
  [undefined, null],
] as const)('%s is told as %s', ([user_agent, client]) => {
  expect(deriveClient(user_agent)).toBe(client)
})

test('an update of a browser is no new client', () => {
  const of = (version: number) => deriveClient(`Mozilla/5.0 (Windows NT 10.0) Firefox/${version}.0`)
  expect(of(140)).toBe(of(141))
})

test('whatever is sent, a client is short and plain', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (sent) => {
      expect(deriveClient(sent) ?? '').toMatch(/^[A-Za-z0-9._ -]{0,40}$/)
    }),
  )
})

test.for([
  ['203.0.113.77', '203.0.113.0/24'],
  ['::ffff:203.0.113.77', '203.0.113.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['::1', '0:0:0::/48'],
] as const)('of the address %s only %s is kept', ([address, kept]) => {
  expect(deriveNetwork(clientNetwork(address))).toBe(kept)
})
