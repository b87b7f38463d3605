import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type OutsideSystemCtx, systemCtx } from '#platform/ctx/ctx.ts'
import { loadConfig } from '../../../config.ts'
import { createParts, type Parts } from '../../../parts.ts'
import { loadShippedEmployees } from '../hires.module.ts'
import * as store from './catalog.store.ts'

const reviewer = 'db36c3fb-73e4-4434-b95c-e2dc0c9d4593'
const shipped = join(import.meta.dirname, '../../../../catalog')
let database: TestDatabase
let parts: Parts
let ctx: OutsideSystemCtx
let folder: string

beforeAll(async () => {
  database = await cloneDatabase(templateName('product'))
  const env = { DATABASE_URL: database.url, REDIS_URL: readServiceFacts().redis.url, LOG_LEVEL: 'silent' }
  parts = await createParts(loadConfig(env), 'migrate')
  ctx = systemCtx(parts.ctx, parts.log, { kind: 'system', name: 'test' })
})
afterAll(async () => {
  await parts.close()
  await database.drop()
})
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-'))
  await cp(shipped, folder, { recursive: true })
})
afterEach(() => rm(folder, { recursive: true }))

const load = () => loadShippedEmployees(ctx, folder)
const versionsSeen = async () => {
  const rows = await store.listEmployeePage(ctx, { after: '', limit: 100 }, 'published')
  return Object.fromEntries(rows.map(({ key, version }) => [key, version]))
}
const fileOf = async (name: string) => {
  const [row] = await store.listVersions(ctx, reviewer)
  return row?.template?.files.find((file) => file.name === name)?.content
}
async function changeManifest(key: string, change: object): Promise<void> {
  const path = join(folder, key, 'employee.json')
  const manifest = JSON.parse(await readFile(path, 'utf8')) as object
  await writeFile(path, JSON.stringify({ ...manifest, ...change }))
}

test('a changed file is a new version of its employee alone, also when two processes load it at once', async () => {
  const before = await versionsSeen()
  await writeFile(join(folder, 'reviewer/SEVERITY.md'), '# Severity\n\nOnly two words.\n')
  await Promise.all([load(), load(), load()])
  expect(await versionsSeen()).toEqual({ ...before, reviewer: (before.reviewer ?? 0) + 1 })
  expect(await fileOf('SEVERITY.md')).toBe('# Severity\n\nOnly two words.\n')
})

test('a file of all employees is a new version of each', async () => {
  await load()
  const before = await versionsSeen()
  await writeFile(join(folder, 'shared/WORKING.md'), '# Working\n\nTogether.\n')
  await load()
  const raised = Object.entries(before).map(([key, version]) => [key, (version ?? 0) + 1])
  expect(await versionsSeen()).toEqual(Object.fromEntries(raised))
})

test('an employee that a release no longer has stays', async () => {
  await load()
  const before = await versionsSeen()
  await rm(join(folder, 'builder'), { recursive: true })
  await load()
  expect(await versionsSeen()).toEqual(before)
})

describe('is an error that changes nothing:', () => {
  const write = (bytes: string | Buffer) => writeFile(join(folder, 'builder/DESK.md'), bytes)
  test.each<[string, () => Promise<unknown>, RegExp]>([
    ['a path out', () => changeManifest('builder', { files: ['../../secret'] }), /is not a plain name/],
    ['a shared path out', () => changeManifest('builder', { shared_files: ['../x'] }), /is not a plain name/],
    ['a missing file', () => changeManifest('builder', { files: ['NONE.md'] }), /ENOENT/],
    ['an unknown field', () => changeManifest('builder', { colour: 'red' }), /colour/],
    ['a foreign key', () => changeManifest('builder', { key: 'reviewer' }), /holds the employee reviewer/],
    ['an unknown profile', () => changeManifest('builder', { coder_profile: 'x' }), /coder_profile/],
    ['an unknown package', () => changeManifest('builder', { packages: ['x'] }), /is not a package/],
    ['bytes that are no text', () => write(Buffer.from([0x61, 0xff])), /encoded data was not valid/],
    ['NUL', () => write('a\0'), /without NUL/],
    ['a file that is too large', () => write('a'.repeat(65_537)), /is too large/],
  ])('%s', async (_, spoil, message) => {
    const before = await versionsSeen()
    await spoil()
    await expect(load()).rejects.toThrow(message)
    expect(await versionsSeen()).toEqual(before)
  })
})
