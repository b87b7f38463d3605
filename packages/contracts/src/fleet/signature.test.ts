import { generateKeyPairSync, sign, verify } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as signature from './signature.ts'

const facts = {
  key_id: '0197a1b2-0000-7000-8000-000000000001',
  created: 1_790_000_000,
  nonce: '5f0e2c1a-52d4-4b7a-9c0e-1a2b3c4d5e6f/7',
}
const digest = signature.contentDigest('47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=')

test('the base of a request, to the letter', () => {
  expect(signature.requestBase({ method: 'POST', path: '/api/v1/desk-agent/beat', digest }, facts)).toBe(
    `"@method": POST
"@path": /api/v1/desk-agent/beat
"content-digest": sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:
"@signature-params": ("@method" "@path" "content-digest");created=1790000000;keyid="0197a1b2-0000-7000-8000-000000000001";nonce="5f0e2c1a-52d4-4b7a-9c0e-1a2b3c4d5e6f/7";tag="crewhall-desk"`,
  )
})

test('the base of a health response, to the letter', () => {
  expect(signature.healthBase({ digest }, { ...facts, nonce: 'abc' })).toBe(
    `"@status": 200
"content-digest": sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:
"@signature-params": ("@status" "content-digest");created=1790000000;keyid="0197a1b2-0000-7000-8000-000000000001";nonce="abc";tag="crewhall-desk-health"`,
  )
})

const someFacts = fc.record({
  key_id: fc.stringMatching(/^[A-Za-z0-9_-]{36,43}$/),
  created: fc.integer({ min: 1, max: 9_999_999_999 }),
  nonce: fc.stringMatching(/^[A-Za-z0-9_/-]{1,80}$/),
})

test('what is written is read again, and as what it was meant', () => {
  fc.assert(
    fc.property(someFacts, (facts) => {
      expect(signature.parseSignatureInput('request', signature.signatureInput('request', facts))).toEqual(
        facts,
      )
      expect(signature.parseSignatureInput('health', signature.signatureInput('request', facts))).toBe(
        undefined,
      )
    }),
  )
})

test.each([
  undefined,
  '',
  'desk=()',
  [signature.signatureInput('request', facts)],
  `${signature.signatureInput('request', facts)};expires=1`,
  ` ${signature.signatureInput('request', facts)}`,
  signature.signatureInput('request', { ...facts, nonce: 'a"b' }),
  signature.signatureInput('request', { ...facts, key_id: 'short' }),
  signature.signatureInput('request', { ...facts, created: 0 }),
])('%j is no signature input', (header) => {
  expect(signature.parseSignatureInput('request', header)).toBeUndefined()
})

test('a nonce of a request names the process and its sequence', () => {
  const sequence = { boot_id: '5f0e2c1a-52d4-4b7a-9c0e-1a2b3c4d5e6f', sequence: 7 }
  expect(signature.parseSequenceNonce(signature.sequenceNonce(sequence))).toEqual(sequence)
  for (const other of ['', '7', `${sequence.boot_id}/0`, `${sequence.boot_id}/-1`, `${sequence.boot_id}/1e3`])
    expect(signature.parseSequenceNonce(other)).toBeUndefined()
})

test('a signature goes through its header and back', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const base = Buffer.from(signature.healthBase({ digest }, facts))
  const header = signature.signatureHeader(sign(null, base, privateKey).toString('base64'))
  const sent = Buffer.from(signature.parseSignature(header) ?? '', 'base64')
  expect(verify(null, base, publicKey, sent)).toBe(true)
  expect(signature.parseSignature(`${header},x=:AA==:`)).toBeUndefined()
})
