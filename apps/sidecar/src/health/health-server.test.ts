import { createHash, createPublicKey, randomBytes, randomUUID, verify } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DeskHealth } from '@crewhall/contracts/fleet/desk-protocol.ts'
import {
  contentDigest,
  healthBase,
  parseSignature,
  parseSignatureInput,
} from '@crewhall/contracts/fleet/signature.ts'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Signer } from '../link/signing.ts'
import { createLog } from '../log.ts'
import { openKeys } from '../state/keys.ts'
import { serveHealth } from './health-server.ts'

const env_id = randomUUID()
const newNonce = () => randomBytes(32).toString('base64url')
let [folder, url, identity, port] = ['', '', '', 0]
let server: { close(): Promise<void> }
const log = createLog(() => undefined)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'health-'))
  const keys = await openKeys(folder)
  identity = keys.identity
  port = await freePort()
  url = `http://127.0.0.1:${port}`
  const signer = new Signer(keys)
  const report = { version: '0.3.0', digest: null, builds_running: 0, pending_sync_count: 0 }
  server = await serveHealth({
    address: '127.0.0.1',
    port,
    signer,
    log,
    report: async () => ({ ...report, login_expired: false, link_age_s: 0, env_id, boot_id: signer.boot_id }),
  })
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

test('a health response is signed over the nonce, the body and the desk', async () => {
  const nonce = newNonce()
  const response = await fetch(`${url}/v1/health?nonce=${nonce}`)
  const body = await response.text()
  const digest = contentDigest(createHash('sha256').update(body).digest('base64'))
  const facts = parseSignatureInput('health', response.headers.get('signature-input'))
  expect([response.status, response.headers.get('content-digest')]).toEqual([200, digest])
  expect(facts).toMatchObject({ key_id: env_id, nonce })
  expect(DeskHealth.parse(JSON.parse(body)).env_id).toBe(env_id)
  if (!facts) return
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: identity }, format: 'jwk' })
  const signature = Buffer.from(parseSignature(response.headers.get('signature')) ?? '', 'base64')
  expect(verify(null, Buffer.from(healthBase({ digest }, facts)), key, signature)).toBe(true)
  const other = healthBase({ digest }, { ...facts, nonce: newNonce() })
  expect(verify(null, Buffer.from(other), key, signature)).toBe(false)
})

test.each([
  ['another path', 404, 'GET', '/'],
  ['a longer path', 404, 'GET', `/v1/health/x?nonce=${newNonce()}`],
  ['another method', 404, 'HEAD', `/v1/health?nonce=${newNonce()}`],
  ['no nonce', 400, 'GET', '/v1/health'],
  ['a short nonce', 400, 'GET', '/v1/health?nonce=abc'],
  ['two nonces', 400, 'GET', `/v1/health?nonce=${newNonce()}&nonce=${newNonce()}`],
  ['a nonce with quotes', 400, 'GET', `/v1/health?nonce=${'"'.repeat(43)}`],
  ['a body', 400, 'POST', `/v1/health?nonce=${newNonce()}`],
])('%s is refused without a signature and without a word', async (_, status, method, path) => {
  const response = await fetch(`${url}${path}`, { method, ...(method === 'POST' ? { body: 'x' } : {}) })
  expect([response.status, response.headers.get('signature'), await response.text()]).toEqual([
    status,
    null,
    '',
  ])
})

test('connections that send their request slowly or not at all are closed, and others are served meanwhile', async () => {
  const slow = Array.from({ length: 20 }, (_, at) => {
    const socket = connect(port, '127.0.0.1')
    if (at % 2) socket.write('GET /v1/health?nonce=')
    return socket.on('error', () => undefined).resume()
  })
  const closed = Promise.all(slow.map((socket) => once(socket, 'close')))
  expect((await fetch(`${url}/v1/health?nonce=${newNonce()}`)).status).toBe(200)
  await closed
})

test('a head that is too large is refused', async () => {
  const response = await fetch(`${url}/v1/health?nonce=${newNonce()}`, { headers: { x: 'a'.repeat(5000) } })
  expect(response.status).toBe(431)
})
