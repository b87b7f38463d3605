import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { bundleSidecar } from './bundle.ts'

const root = resolve(import.meta.dirname, '../..')
const folders: string[] = []
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'))
  folders.push(folder)
  return folder
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

test('the sidecar is one file, and the same sources give the same bytes', async () => {
  const [one, other] = [await bundleSidecar(newFolder()), await bundleSidecar(newFolder())]
  const bytes = readFileSync(one.file)
  expect(bytes.equals(readFileSync(other.file))).toBe(true)
  expect(one.digest).toBe(createHash('sha256').update(bytes).digest('hex'))
  expect(readdirSync(folders[0] ?? '')).toEqual(['sidecar.mjs'])
  expect(bytes.includes(root)).toBe(false)
})

test('the file needs nothing but Node: it runs in an empty folder and imports only what is built in', async () => {
  const { file } = await bundleSidecar(newFolder())
  const { stdout, status } = spawnSync(process.execPath, [file, 'version'], {
    cwd: newFolder(),
    encoding: 'utf8',
  })
  const { version } = JSON.parse(readFileSync(join(root, 'apps/sidecar/package.json'), 'utf8'))
  expect([status, stdout.trim()]).toEqual([0, version])
  const imported = readFileSync(file, 'utf8').matchAll(/^import .*? from "([^"]+)"/gm)
  for (const [, name] of imported) expect(name).toMatch(/^node:/)
})
