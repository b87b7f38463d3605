import { describe, expect, test } from 'vitest'
import { checkDependencies } from './check-dependencies.ts'
import { tidyLock } from './dangling-lock.ts'
import { checkLeaks } from './leak-check.ts'
import {
  checkLock,
  countProduction,
  isLicenceAllowed,
  type LockEntry,
  productionBudget,
} from './lock-check.ts'
import { checkManifest } from './manifest-check.ts'
import { plantRepo } from './planted-repo.ts'

const good: LockEntry = { version: '1.0.0', integrity: 'sha512-x', license: 'MIT' }
const lockOf = (packages: Record<string, LockEntry>) =>
  JSON.stringify({ packages: { '': {}, 'apps/server': {}, ...packages } }, null, 2)
const rulesOf = (violations: { rule: string }[]) => violations.map(({ rule }) => rule)

describe('the lock', () => {
  test('passes with integrity, a known licence and no address', () => {
    const link = { resolved: 'apps/server', link: true }
    expect(checkLock(lockOf({ 'node_modules/a': good, 'node_modules/@crewhall/server': link }))).toEqual([])
  })

  const planted: [string, LockEntry][] = [
    ['integrity', { version: '1.0.0', license: 'MIT' }],
    ['resolved', { ...good, resolved: 'https://example.test/a.tgz' }],
    ['resolved', { ...good, resolved: 'git+ssh://git@example.test/a.git' }],
    ['install-script', { ...good, hasInstallScript: true, dev: true }],
    ['licence', { ...good, license: 'GPL-3.0-only', dev: true }],
    ['licence', { ...good, license: 'MPL-2.0' }],
    ['licence', { version: '1.0.0', integrity: 'sha512-x' }],
  ]
  test.each(planted)('fails by %s for %o', (rule, entry) => {
    const text = lockOf({ 'node_modules/a': good, 'node_modules/a/node_modules/b': entry })
    const violations = checkLock(text)
    expect(rulesOf(violations)).toEqual([rule])
    expect(text.split('\n')[(violations[0]?.line ?? 0) - 1]).toContain('node_modules/a/node_modules/b')
  })

  test('takes an install script that is listed with a reason, and a bundled package', () => {
    const text = lockOf({ 'node_modules/@x/a': { ...good, hasInstallScript: true } })
    expect(checkLock(text, { '@x/a': 'reviewed' })).toEqual([])
    expect(rulesOf(checkLock(text, { '@x/a': '' }))).toEqual(['install-script'])
    expect(checkLock(lockOf({ 'node_modules/b': { license: 'MIT', inBundle: true } }))).toEqual([])
  })

  test('fails by dangling for an optional package without an entry, until it is tidied', () => {
    const parent = { ...good, optionalDependencies: { here: '1.0.0', gone: '1.0.0' } }
    const text = lockOf({ 'node_modules/a': parent, 'node_modules/here': good })
    expect(rulesOf(checkLock(text))).toEqual(['dangling'])
    const lock = JSON.parse(text)
    expect(tidyLock(lock)).toBe(1)
    expect(checkLock(JSON.stringify(lock))).toEqual([])
  })

  test('has a budget that counts everything but development packages', () => {
    const many = (count: number, entry: LockEntry) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`node_modules/p${n}`, entry]))
    const extra = { 'node_modules/d': { ...good, dev: true }, 'node_modules/o': { ...good, optional: true } }
    const full = lockOf({ ...many(productionBudget - 1, good), ...extra })
    expect(countProduction(JSON.parse(full))).toBe(productionBudget)
    expect(checkLock(full)).toEqual([])
    expect(rulesOf(checkLock(lockOf({ ...many(productionBudget, good), ...extra })))).toEqual([
      'package-budget',
    ])
  })

  test.each([
    ['(MIT OR GPL-3.0-only)', false, true],
    ['GPL-2.0-only OR LGPL-3.0-only', false, false],
    ['MIT AND GPL-3.0-only', false, false],
    ['(MIT AND BSD-3-Clause)', false, true],
    ['MPL-2.0', true, true],
    ['MPL-2.0', false, false],
    ['', true, false],
  ])('licence %s with development %s is allowed: %s', (licence, isDevelopment, expected) => {
    expect(isLicenceAllowed(licence, isDevelopment)).toBe(expected)
  })
})

describe('a manifest', () => {
  const check = (field: string, versions: unknown) =>
    rulesOf(checkManifest('package.json', JSON.stringify({ [field]: versions })))

  test.each(['1.2.3', '1.2.3-beta.1'])('takes %s', (version) => {
    expect(check('dependencies', { a: version })).toEqual([])
  })

  test.each(['^1.2.3', '~1.2.3', '1.x', '>=1.0.0', 'latest', '*', '', '1.2', 'file:../a', 'npm:b@1.2.3'])(
    'refuses %s',
    (version) => {
      expect(check('devDependencies', { a: version })).toEqual(['exact-version'])
    },
  )

  test('refuses addresses and takes a star only for our own packages', () => {
    expect(check('dependencies', { a: 'git+https://example.test/a.git' })).toEqual(['exact-version'])
    expect(check('optionalDependencies', { a: 'github:owner/a' })).toEqual(['exact-version'])
    expect(check('dependencies', { '@crewhall/contracts': '*' })).toEqual([])
    expect(check('peerDependencies', { '@crewhall/contracts': '^0.1.0' })).toEqual(['exact-version'])
  })

  test('is judged by its overrides too', () => {
    expect(check('overrides', { a: { b: '1.0.0' }, c: '$c' })).toEqual([])
    expect(check('overrides', { a: { b: '^1.0.0' } })).toEqual(['exact-version'])
  })
})

// Joined here, so that this file does not hold what it looks for.
const leaks: [string, string][] = [
  ['token', ['chp', 'a1B2'.repeat(9)].join('_')],
  ['token', ['dsk', 'a1B_-'.repeat(9)].join('_')],
  ['token', ['whsec', 'a1+/'.repeat(11)].join('_')],
  ['private-key', ['-----BEGIN EC', 'PRIVATE KEY-----'].join(' ')],
  ['private-key', ['-----BEGIN', 'PRIVATE KEY-----'].join(' ')],
  ['registry', ['https:', '', 'registry.example.test'].join('/')],
  ['machine-path', ['', 'Users', 'someone', 'code'].join('/')],
  ['machine-path', '/place/of/checkout/apps'],
  ['machine-path', 'see /place/of/neighbour'],
]

describe('a leak', () => {
  test.each(leaks)('by %s is found: %s', (rule, text) => {
    const found = checkLeaks('/place/of/checkout', 'a.md', `first\nsecond ${text}`)
    expect(new Set(rulesOf(found))).toEqual(new Set([rule]))
    expect(found[0]?.line).toBe(2)
  })

  test.each(['chp_short', 'src/place/of/checkout', '/tmp/a', 'BEGIN PUBLIC KEY', '/place/official'])(
    'is not seen in %s',
    (text) => {
      expect(checkLeaks('/place/of/checkout', 'a.md', text)).toEqual([])
    },
  )

  test('is not looked for in binary files, and folders all machines have are no leak', () => {
    expect(checkLeaks('/x/y', 'a.png', `\0${leaks[0]?.[1]}`)).toEqual([])
    expect(checkLeaks('/tmp/y', 'a.md', '/tmp/z')).toEqual([])
  })
})

describe('a whole repository', () => {
  const clean = {
    'package.json': '{"dependencies":{"a":"1.0.0"}}',
    'package-lock.json': lockOf({ 'node_modules/a': good }),
    'apps/server/package.json': '{"dependencies":{"@crewhall/contracts":"0.1.0"}}',
  }

  test('passes when clean', () => {
    expect(checkDependencies(plantRepo(clean))).toEqual({
      violations: [],
      production: 1,
      scanned: 3,
      snapshot: undefined,
    })
  })

  test('fails for a range in a workspace, a leak in any file and a bad lock at once', () => {
    const root = plantRepo({
      ...clean,
      'package-lock.json': lockOf({ 'node_modules/a': { license: 'MIT' } }),
      'apps/server/package.json': '{\n"dependencies":{\n"b":"^1.0.0"}}',
      'deploy/.env.sample': `KEY=${leaks[0]?.[1]}`,
    })
    const found = checkDependencies(root).violations.map(({ path, line, rule }) => `${path}:${line} ${rule}`)
    expect(found).toEqual([
      'package-lock.json:5 integrity',
      'apps/server/package.json:3 exact-version',
      'deploy/.env.sample:1 token',
    ])
  })

  test('fails without a lock', () => {
    expect(rulesOf(checkDependencies(plantRepo({ 'package.json': '{}' })).violations)).toEqual(['lock'])
  })
})
