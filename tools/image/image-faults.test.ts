import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findImageFaults, type ImageFile } from './image-faults.ts'
import { sbomOfInstalled } from './installed-packages.ts'
import { debianComponents, licenceList, nodeComponent, tidySbom } from './papers.ts'
import type { Component, Sbom } from './sbom.ts'

const lock = {
  packages: {
    'node_modules/fastify': {},
    'node_modules/@fastify/multipart': {},
    'node_modules/vitest': { dev: true },
  },
}
const file = (path: string, more: Partial<ImageFile> = {}): ImageFile => ({
  path,
  kind: 'file',
  mode: 0o644,
  uid: 0,
  ...more,
})

test('an image of sources, packages of production, Node and libraries has no fault', () => {
  const files = [
    file('app/apps/server/src/api.ts', { text: 'await runApi()' }),
    file('app/node_modules/fastify', { kind: 'folder', mode: 0o755 }),
    file('app/node_modules/@fastify', { kind: 'folder', mode: 0o755 }),
    file('app/node_modules/@fastify/multipart', { kind: 'folder', mode: 0o755 }),
    file('usr/local/bin/node', { mode: 0o755 }),
    file('tmp', { kind: 'folder', mode: 0o1777 }),
    file('app/node_modules/.bin/fast', { kind: 'link', mode: 0o777 }),
  ]
  expect(findImageFaults(files, lock)).toEqual([])
})

test.for<[string, ImageFile, string]>([
  ['setuid', file('usr/bin/passwd', { mode: 0o4755 }), 'runs with the rights of its owner'],
  ['setgid', file('usr/bin/wall', { mode: 0o2755 }), 'runs with the rights of its owner'],
  ['writable', file('app/apps/server/src/api.ts', { mode: 0o666 }), 'can be written by everybody'],
  ['foreign', file('app/LICENSE', { uid: 1000 }), 'belongs to somebody other than root'],
  ['test', file('app/apps/server/src/config.test.ts'), 'is the source of a test'],
  ['test folder', file('app/node_modules/fastify/test/x.js'), 'is the source of a test'],
  ['settings', file('app/.env'), 'has the name of a secret'],
  ['registry', file('app/.npmrc'), 'has the name of a secret'],
  ['key file', file('etc/tls/server.key'), 'has the name of a secret'],
  ['token', file('app/x.ts', { text: `const token = 'chp_${'a'.repeat(36)}'` }), 'holds an access token'],
  ['shell', file('bin/sh', { mode: 0o755 }), 'is a shell'],
  [
    'manager',
    file('usr/local/bin/npm', { kind: 'link', mode: 0o777 }),
    'is a tool that the product does not use',
  ],
  [
    'development',
    file('app/node_modules/vitest', { kind: 'folder', mode: 0o755 }),
    'is a package for development',
  ],
  [
    'unknown',
    file('app/node_modules/leftpad', { kind: 'folder', mode: 0o755 }),
    'is a package that the lock does not have',
  ],
])('a planted fault is found: %s', ([, planted, fault]) => {
  expect(findImageFaults([planted], lock)).toEqual([{ path: planted.path, fault }])
})

test('a shell is allowed where git needs one', () => {
  expect(findImageFaults([file('bin/sh', { mode: 0o755 })], lock, { has_shell: true })).toEqual([])
})

const component = (name: string, licence?: string): Component => ({
  'bom-ref': `${name}@1.0.0`,
  type: 'library',
  name,
  version: '1.0.0',
  ...(licence ? { licenses: [{ license: { id: licence } }] } : {}),
})
const sbomOf = (timestamp: string, names: string[]): Sbom => ({
  bomFormat: 'CycloneDX',
  serialNumber: `urn:uuid:${timestamp}`,
  metadata: { timestamp },
  components: names.map((name) => component(name, 'MIT')),
  dependencies: names.map((ref) => ({ ref, dependsOn: names.filter((each) => each !== ref) })),
})

test('two SBOMs of the same packages are the same text, whenever and in whatever order npm wrote them', () => {
  const one = tidySbom(sbomOf('2026-01-01', ['b', 'a']), [nodeComponent('26.10.0')], 1000)
  const other = tidySbom(sbomOf('2027-01-01', ['a', 'b']), [nodeComponent('26.10.0')], 1000)
  expect(JSON.stringify(one)).toBe(JSON.stringify(other))
  expect(one.serialNumber).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
  )
  expect(tidySbom(sbomOf('2026-01-01', ['a']), [], 1000).serialNumber).not.toBe(one.serialNumber)
})

test('licences are listed by name, with Node and the libraries of Debian, and a missing one stands out', () => {
  const sbom = sbomOf('2026-01-01', ['b'])
  const all = tidySbom(
    { ...sbom, components: [...sbom.components, component('odd')] },
    [nodeComponent('26.10.0'), ...debianComponents('glibc libc6 2.36-9\n')],
    0,
  )
  expect(licenceList(all)).toBe(
    'b 1.0.0: MIT\nlibc6 2.36-9: see /usr/share/doc/libc6/copyright\nnode 26.10.0: MIT\nodd 1.0.0: UNKNOWN\n',
  )
})

test('the SBOM has what is installed, each with its licence and what it needs, and nothing that only the lock names', () => {
  const root = mkdtempSync(join(tmpdir(), 'crewhall-installed-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const write = (path: string, content: object) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), JSON.stringify(content))
  }
  const integrity = `sha512-${Buffer.from('whole').toString('base64')}`
  write('package-lock.json', {
    packages: { 'node_modules/a': { integrity }, 'node_modules/b': {}, 'node_modules/only-locked': {} },
  })
  write('node_modules/a/package.json', {
    name: 'a',
    version: '1.0.0',
    license: 'MIT',
    dependencies: { b: '2', '@s/c': '3', absent: '1' },
  })
  write('node_modules/a/node_modules/b/package.json', {
    name: 'b',
    version: '2.0.0',
    license: '(MIT OR ISC)',
  })
  write('node_modules/b/package.json', { name: 'b', version: '1.0.0', licenses: [{ type: 'ISC' }] })
  write('node_modules/@s/c/package.json', { name: '@s/c', version: '3.0.0' })
  write('packages/own/package.json', { name: 'own', version: '9.0.0' })
  symlinkSync('../packages/own', join(root, 'node_modules/own'))
  const sbom = sbomOfInstalled(root, { name: 'crewhall', version: '1.2.3' })
  expect(sbom.components.map((each) => each['bom-ref']).sort()).toEqual([
    '@s/c@3.0.0',
    'a@1.0.0',
    'b@1.0.0',
    'b@2.0.0',
  ])
  expect(sbom.dependencies.find(({ ref }) => ref === 'a@1.0.0')?.dependsOn).toEqual(['b@2.0.0', '@s/c@3.0.0'])
  expect(sbom.components.find(({ name }) => name === 'a')).toMatchObject({
    purl: 'pkg:npm/a@1.0.0',
    hashes: [{ alg: 'SHA-512', content: Buffer.from('whole').toString('hex') }],
  })
  expect(licenceList(sbom)).toBe('@s/c 3.0.0: UNKNOWN\na 1.0.0: MIT\nb 1.0.0: ISC\nb 2.0.0: (MIT OR ISC)\n')
})
