import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { KnownVectors } from './known-vectors.ts'

const folder = mkdtempSync(join(tmpdir(), 'vectors-'))
afterAll(() => rmSync(folder, { recursive: true }))
const vector = { text_hash: 'ab', vector: '[1,0]' }

test('vectors are known in the next run, for the same model and the same texts only', () => {
  const path = join(folder, 'deep', 'kept.json')
  const first = new KnownVectors('model@1', path)
  first.set(['title', 'body'], vector)
  first.keep()
  expect(new KnownVectors('model@1', path).get(['title', 'body'])).toEqual(vector)
  expect(new KnownVectors('model@2', path).get(['title', 'body'])).toBeUndefined()
  expect(new KnownVectors('model@1', path).get(['title body'])).toBeUndefined()
})

test('a file that was half written is as good as none', () => {
  const path = join(folder, 'broken.json')
  writeFileSync(path, '{"a":')
  expect(new KnownVectors('model@1', path).get(['a'])).toBeUndefined()
})
