import { generateKeyPairSync, hash, randomUUID, sign } from 'node:crypto'
import * as signature from '@crewhall/contracts/fleet/signature.ts'
import { expect, test } from 'vitest'
import { readHealth } from './health-response.ts'

const { privateKey } = generateKeyPairSync('ed25519')
const asked = {
  desk_id: '0197a1b2-0000-7000-8000-000000000001',
  public_key: String(privateKey.export({ format: 'jwk' }).x),
  nonce: 'n'.repeat(43),
}
const health = {
  env_id: asked.desk_id,
  boot_id: randomUUID(),
  version: '0.3.0',
  digest: null,
  builds_running: 0,
  pending_sync_count: 0,
  login_expired: false,
  link_age_s: 0,
}

/** As a sidecar returns it, but for what a test makes different. */
function received({ said = health, nonce = asked.nonce, key_id = asked.desk_id, key = privateKey } = {}) {
  const body = Buffer.from(JSON.stringify(said))
  const facts = { key_id, created: 1_790_000_000, nonce }
  const digest = signature.contentDigest(hash('sha256', body, 'base64'))
  const base = signature.healthBase({ digest }, facts)
  const headers = {
    [signature.signatureFields.digest]: digest,
    [signature.signatureFields.input]: signature.signatureInput('health', facts),
    [signature.signatureFields.signature]: signature.signatureHeader(
      sign(null, Buffer.from(base), key).toString('base64'),
    ),
  }
  return { status: 200, headers, body }
}

test('DESK-39: a response that is signed over the nonce is an answer', () => {
  expect(readHealth(asked, received())).toEqual({ kind: 'answered', health })
})

test.each([
  ['of an earlier check', received({ nonce: 'o'.repeat(43) }), 'unsigned'],
  ['signed with another key', received({ key: generateKeyPairSync('ed25519').privateKey }), 'unsigned'],
  ['signed for another desk', received({ key_id: randomUUID() }), 'unsigned'],
  ['without a signature', { ...received(), headers: {} }, 'unsigned'],
  [
    'whose body was changed',
    { ...received(), body: Buffer.from(JSON.stringify({ ...health, version: '9.9.9' })) },
    'unsigned',
  ],
  ['with another status', { ...received(), status: 503 }, 'status'],
  ['that is no JSON', { ...received(), body: Buffer.from('<html>') }, 'form'],
  ['that says nothing', { ...received(), body: Buffer.from('{}') }, 'form'],
] as const)('a response %s is a miss', (_, response, cause) => {
  expect(readHealth(asked, response)).toEqual({ kind: 'missed', cause })
})

test('DESK-61: one of another desk is misrouted, signed or not', () => {
  const said = { ...health, env_id: randomUUID() }
  expect(readHealth(asked, received({ said }))).toEqual({ kind: 'misrouted' })
  expect(readHealth(asked, { ...received({ said }), headers: {} })).toEqual({ kind: 'misrouted' })
})
