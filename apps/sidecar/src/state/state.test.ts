import { createPublicKey, verify } from 'node:crypto'
import { chmod, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readIfThere, replaceFile } from './durable-file.ts'
import { AlreadyRunning, lockFolder } from './instance-lock.ts'
import { openKeys } from './keys.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'state-'))
})
afterEach(() => rm(folder, { recursive: true }))

test('a file is replaced as a whole, readable by its owner alone, and nothing is left beside it', async () => {
  const path = join(folder, 'desk.json')
  expect(await readIfThere(path)).toBeUndefined()
  for (const content of ['one', 'other']) await replaceFile(path, content)
  expect(await readIfThere(path)).toBe('other')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder)).toEqual(['desk.json'])
})

test('a file that cannot be replaced stays, and nothing is left beside it', async () => {
  const path = join(folder, 'taken')
  await replaceFile(join(folder, 'kept'), 'kept')
  await expect(replaceFile(join(path, 'inside'), 'x')).rejects.toThrow('ENOENT')
  expect(await readdir(folder)).toEqual(['kept'])
})

test('keys are made once, readable by their owner alone, and the identity signs as Ed25519', async () => {
  const keys = await openKeys(folder)
  const { identity, mesh } = await openKeys(folder)
  expect([identity, mesh.current]).toEqual([keys.identity, keys.mesh.current])
  for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: identity }
  const signature = Buffer.from(keys.sign('text'), 'base64')
  expect(verify(null, Buffer.from('text'), createPublicKey({ key: jwk, format: 'jwk' }), signature)).toBe(
    true,
  )
})

test('a key that others can read is refused and stays as it is', async () => {
  await openKeys(folder)
  const path = join(folder, 'identity.pem')
  const before = await readFile(path, 'utf8')
  await chmod(path, 0o640)
  await expect(openKeys(folder)).rejects.toThrow('its mode has to be 600')
  expect(await readFile(path, 'utf8')).toBe(before)
})

test('another key of the mesh is the same until it is settled, and then in the place of the first or gone', async () => {
  const { mesh } = await openKeys(folder)
  const [first, next] = [mesh.current, await mesh.propose()]
  expect(next.public_key).not.toBe(first.public_key)
  const again = (await openKeys(folder)).mesh
  expect([again.current, again.next, await again.propose()]).toEqual([first, next, next])
  await again.settle(true)
  const after = (await openKeys(folder)).mesh
  expect([after.current, after.next]).toEqual([next, undefined])
  await after.propose()
  await after.settle(false)
  expect([after.current, (await openKeys(folder)).mesh.next]).toEqual([next, undefined])
  expect((await readdir(folder)).sort()).toEqual(['identity.pem', 'mesh.pem'])
})

test('a folder is locked once, and again when it was let go', () => {
  const lock = lockFolder(folder)
  expect(() => lockFolder(folder)).toThrow(AlreadyRunning)
  lock.release()
  lockFolder(folder).release()
})
