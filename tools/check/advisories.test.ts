import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { checkAdvisories, describeSnapshot, type Snapshot } from './advisory-check.ts'
import { askAdvisories } from './ask-advisories.ts'
import { checkDependencies } from './check-dependencies.ts'
import type { Lock } from './lock-check.ts'
import { plantRepo } from './planted-repo.ts'

const entry = { integrity: 'sha512-x', license: 'MIT' }
const lock: Lock = {
  packages: {
    '': {},
    'node_modules/@crewhall/server': { link: true },
    'node_modules/a': { ...entry, version: '1.2.3' },
    'node_modules/b/node_modules/a': { ...entry, version: '2.0.0' },
    'node_modules/@x/c': { ...entry, version: '0.1.0', dev: true },
  },
}
const advisory = (severity: string, vulnerable_versions: string) => ({
  id: 1,
  url: 'https://advisories.example.test/1',
  title: 'reads what it should not',
  severity,
  vulnerable_versions,
})
const snapshotOf = (name: string, severity: string, range: string): Snapshot => ({
  taken_at: '2026-01-01T00:00:00.000Z',
  advisories: { [name]: [advisory(severity, range)] },
})

/** A registry that knows one thing: the advisories for the packages it is asked about. */
const startRegistry = async (status: number, answer: unknown) => {
  const asked: unknown[] = []
  const server = createServer(async (request, response) => {
    asked.push([request.method, request.url, JSON.parse(await text(request))])
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

test('a snapshot asks for all versions of the lock and keeps the answer with its time', async () => {
  const { url, asked } = await startRegistry(200, { a: [{ ...advisory('high', '<2'), cwe: ['CWE-1'] }] })
  const now = new Date('2026-01-01T00:00:00.000Z')
  expect(await askAdvisories(url, lock, now)).toEqual(snapshotOf('a', 'high', '<2'))
  const versions = { a: ['1.2.3', '2.0.0'], '@x/c': ['0.1.0'] }
  expect(asked).toEqual([['POST', '/-/npm/v1/security/advisories/bulk', versions]])
})

test('a registry that has no advisories gives no snapshot', async () => {
  const { url } = await startRegistry(405, {})
  await expect(askAdvisories(url, lock, new Date())).rejects.toThrow('the registry answered 405')
})

test.each([
  ['a', 'high', '<1.3.0', 1],
  ['a', 'critical', '>=1.0.0', 2],
  ['a', 'moderate', '>=1.0.0', 0],
  ['a', 'high', '<1.2.3', 0],
  ['@x/c', 'critical', '*', 0],
])('an advisory for %s that is %s for %s refuses %i versions', (name, severity, range, count) => {
  const found = checkAdvisories(lock, snapshotOf(name, severity, range), [])
  expect(found.map(({ rule }) => rule)).toEqual(Array(count).fill('advisory'))
})

test('an accepted advisory needs a reason, and must still concern something', () => {
  const { url } = advisory('high', '*')
  const rules = (severity: string, reason: string) =>
    checkAdvisories(lock, snapshotOf('a', severity, '<2'), [{ url, reason }]).map(({ rule }) => rule)
  expect(rules('high', 'we never call it')).toEqual([])
  expect(rules('high', ' ')).toEqual(['advisory'])
  expect(rules('low', 'we never call it')).toEqual(['advisory-list'])
})

test('the age of a snapshot is told, and an old or missing one asks for a new one', () => {
  const after = (days: number) => new Date(Date.UTC(2026, 0, 1 + days))
  const snapshot = snapshotOf('a', 'low', '*')
  expect(describeSnapshot(snapshot, after(14))).toBe('advisories as of 14 days ago')
  expect(describeSnapshot(snapshot, after(15))).toContain('too old: run npm run advisories')
  expect(describeSnapshot(undefined, after(0))).toBe('no snapshot of advisories: run npm run advisories')
})

test('the check of dependencies reads the snapshot of the repository, if there is one', () => {
  const files = { 'package.json': '{}', 'package-lock.json': JSON.stringify(lock) }
  expect(checkDependencies(plantRepo(files))).toMatchObject({ violations: [], snapshot: undefined })
  const snapshot = snapshotOf('a', 'high', '<2')
  const root = plantRepo({ ...files, 'tools/check/advisories.json': JSON.stringify(snapshot) })
  const found = checkDependencies(root)
  expect(found.violations.map(({ rule }) => rule)).toEqual(['advisory'])
  expect(found.snapshot).toEqual(snapshot)
})
