import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { runGit } from '#platform/git/run-git.ts'
import { ClonePlaces } from './clone-places.ts'

const root = mkdtempSync(join(tmpdir(), 'crewhall-places-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const places = new ClonePlaces(root)
const id = { brand_id: 7, project_id: '00000000-0000-4000-8000-000000000007', generation: 1 }
const dir = places.dirOf(id)

test('git works again in a copy where it was killed', async () => {
  const init = { args: ['init', '-q', '--bare', dir], limit_ms: 60_000 }
  mkdirSync(dir, { recursive: true })
  expect((await runGit(init)).code).toBe(0)
  mkdirSync(join(dir, 'refs/crewhall'), { recursive: true })
  const left = [
    'config.lock',
    'packed-refs.lock',
    'shallow.lock',
    'refs/crewhall/head.lock',
    'objects/pack/tmp_pack_x',
    'objects/pack/pack-1.keep',
  ]
  for (const path of left) writeFileSync(join(dir, path), '')
  writeFileSync(join(dir, 'objects/pack/pack-1.pack'), 'kept')
  expect((await runGit({ ...init, args: ['--git-dir', dir, 'config', 'a.b', 'c'] })).code).not.toBe(0)
  await places.clearLeftovers(id)
  expect(left.filter((path) => existsSync(join(dir, path)))).toEqual([])
  expect(readdirSync(join(dir, 'objects/pack'))).toEqual(['pack-1.pack'])
  expect((await runGit({ ...init, args: ['--git-dir', dir, 'config', 'a.b', 'c'] })).code).toBe(0)
})

test('secrets end with their work, and those of a killed process when no run can need them any more', async () => {
  const names = () => readdirSync(dir).filter((name) => name.startsWith('secret-'))
  await places.withFiles(id, { key: 'k' }, async ({ key = '' }) => expect(existsSync(key)).toBe(true))
  expect(names()).toEqual([])
  for (const name of ['secret-old', 'secret-new']) mkdirSync(join(dir, name))
  const now = new Date('2026-01-31T12:00:00Z')
  const seconds = now.getTime() / 1000
  utimesSync(join(dir, 'secret-old'), 0, seconds - 3700)
  utimesSync(join(dir, 'secret-new'), 0, seconds - 60)
  await places.clearSecrets(id, now)
  expect(names()).toEqual(['secret-new'])
})
