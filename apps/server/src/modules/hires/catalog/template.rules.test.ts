import { resolve } from 'node:path'
import { type EmployeeTemplate, maxFileBytes, maxFiles } from '@crewhall/contracts/hires/template.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { faultsOfTemplate, isPlainName, type KnownNames } from './template.rules.ts'

const known: KnownNames = { is_coder_profile: true, packages: new Set(['boards', 'memory']) }
const persona = { name: 'PERSONA.md', content: '# Reviewer\n' }
const good: EmployeeTemplate = {
  coder_profile: 'claude.hard',
  scopes: ['brand:read', 'memory:read'],
  packages: ['boards', 'memory'],
  memory_sources: [
    { source_type: 'claude_code', directory: 'sessions' },
    { source_type: 'openclaw', directory: 'logs/claw' },
    { source_type: 'agentboard', directory: null },
  ],
  files: [persona, { name: 'how-to.v2_final.md', content: 'Näher am Code.' }],
}
const faults = (change: Partial<EmployeeTemplate>, names = known) =>
  faultsOfTemplate({ ...good, ...change }, names).map(({ field, reason }) => `${field} ${reason}`)
const file = (name: string, content = 'text') => ({ name, content })
const source = (directory: string | null, source_type = 'claude_code') => ({ source_type, directory })

test('a good template has no fault, and neither has the smallest one', () => {
  expect(faults({})).toEqual([])
  expect(faults({ scopes: [], packages: [], memory_sources: [], files: [persona] })).toEqual([])
})

describe('a template is refused', () => {
  test.each<[string, Partial<EmployeeTemplate>, string[]]>([
    ['with an unknown scope', { scopes: ['brand:read', 'brand:all'] }, ['scopes[1] is not a scope']],
    ['with a scope twice', { scopes: ['brand:read', 'brand:read'] }, ['scopes[1] is listed twice']],
    ['with an unknown package', { packages: ['weather'] }, ['packages[0] is not a package']],
    ['with a package twice', { packages: ['boards', 'boards'] }, ['packages[1] is listed twice']],
    [
      'with an unknown type of source',
      { memory_sources: [source('sessions', 'diary')] },
      ['memory_sources[0].source_type is not a type of source'],
    ],
    [
      'with a source twice, in other letters',
      { memory_sources: [source('sessions'), source('Sessions')] },
      ['memory_sources[1] is listed twice'],
    ],
    [
      'with a directory for a source that reads none',
      { memory_sources: [source('sessions', 'agentboard')] },
      ['memory_sources[0].directory must be null for this type'],
    ],
    [
      'with a directory where a file is',
      { memory_sources: [source('persona.md/sessions')] },
      ['memory_sources[0].directory is the name of a file of the template'],
    ],
    ['without a persona', { files: [file('NOTES.md')] }, ['files must contain PERSONA.md']],
    ['without a file', { files: [] }, ['files must contain PERSONA.md']],
    [
      'with a file twice, in other letters',
      { files: [persona, file('persona.MD')] },
      ['files[1].name is listed twice'],
    ],
    [
      'with a file that the product writes',
      { files: [persona, file('Memory.md')] },
      ['files[1].name is written by the product'],
    ],
    ['with a blank file', { files: [persona, file('A.md', ' \n')] }, ['files[1].content must not be blank']],
    [
      'with NUL in a file',
      { files: [persona, file('A.md', 'a\0b')] },
      ['files[1].content must be text without NUL'],
    ],
    [
      'with half a character in a file',
      { files: [persona, file('A.md', 'a\ud800b')] },
      ['files[1].content must be text without NUL'],
    ],
    [
      'with a file that is too long in bytes and not in characters',
      { files: [persona, file('A.md', 'ä'.repeat(maxFileBytes / 2 + 1))] },
      ['files[1].content must be at most 65536 bytes'],
    ],
    [
      'with too many files',
      { files: [persona, ...Array.from({ length: maxFiles }, (_, at) => file(`${at}.md`))] },
      ['files must be at most 32'],
    ],
    [
      'with files that are too long together',
      { files: [persona, ...[1, 2, 3, 4].map((at) => file(`${at}.md`, 'a'.repeat(maxFileBytes)))] },
      ['files must be at most 262144 bytes together'],
    ],
  ])('%s', (_, change, expected) => expect(faults(change)).toEqual(expected))

  test('with an unknown coder profile', () => {
    expect(faults({}, { ...known, is_coder_profile: false })).toEqual([
      'coder_profile is not a coder profile',
    ])
  })

  test('with all its faults at once', () => {
    const change = { scopes: ['all'], packages: ['weather'], files: [file('../PERSONA.md')] }
    expect(faults(change, { ...known, is_coder_profile: false })).toEqual([
      'coder_profile is not a coder profile',
      'scopes[0] is not a scope',
      'packages[0] is not a package',
      'files must contain PERSONA.md',
      'files[0].name must be a plain file name',
    ])
  })

  test.each([
    '',
    '.',
    '..',
    '.git',
    'a/b',
    '/etc/passwd',
    '../x',
    'a\\b',
    'a\nb',
    'a\n',
    '-rf',
    'ä.md',
    'a b',
    'C:x',
    'x'.repeat(101),
  ])('with the file name %j', (name) => {
    expect(faults({ files: [persona, file(name)] })).toEqual(['files[1].name must be a plain file name'])
  })

  const long = Array(5).fill('x'.repeat(80)).join('/')
  const paths = [null, '', '.', '..', '../x', 'a/../../x', '/a', 'a/', 'a//b', 'a/./b', 'a\0b', 'a/b/c/d/e/f']
  test.each([...paths, long])('with the directory %j', (directory) => {
    expect(faults({ memory_sources: [source(directory)] })).toEqual([
      'memory_sources[0].directory must be a plain path below the directory of the agent',
    ])
  })
})

test('a name that is taken never leaves its directory, and is never hidden', () => {
  const pieces = fc.constantFrom('..', '.', '/', '\\', 'a', '\0', '%2e', '~', '$', ' ', '-')
  const name = fc.oneof(
    fc.string(),
    fc.stringMatching(/^[A-Za-z0-9._-]{1,20}$/),
    fc.array(pieces, { maxLength: 6 }).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(name.filter(isPlainName), (taken) => {
      expect(resolve('/home/agent', taken)).toBe(`/home/agent/${taken}`)
      expect(taken).not.toMatch(/^[.~-]/)
    }),
  )
})
