import { expect, test } from 'vitest'
import { agentIdsFor, contentOf, directoryOf, sourceDirectory, waitAfter } from './build.rules.ts'

test.each([
  [0, 30],
  [1, 30],
  [2, 120],
  [5, 7200],
  [6, 28_800],
  [7, 28_800],
  [1000, 28_800],
])('after failure %i the next try comes in %i seconds', (failures, seconds) => {
  expect(waitAfter(failures)).toBe(seconds)
})

test('a directory is named by ids alone, and sources lie in it', () => {
  expect(directoryOf(7, 'an-id')).toEqual({ folders: ['7', 'hires'], name: 'an-id' })
  expect(sourceDirectory('an-id', 'a/b')).toBe('hires/an-id/a/b')
})

test('a directory begins with the files of the template and a folder for each source that reads one', () => {
  const template = {
    coder_profile: 'claude.hard',
    scopes: [],
    packages: [],
    files: [{ name: 'PERSONA.md', content: 'who' }],
    memory_sources: [
      { source_type: 'claude_code', directory: 'sessions/claude' },
      { source_type: 'agentboard', directory: null },
    ],
  }
  expect(contentOf(template)).toEqual({ files: template.files, folders: [['sessions', 'claude']] })
})

test('an agent has the key of the employee, or the key and the random end of the hire', () => {
  expect(agentIdsFor('builder', '0199aaaa-bbbb-7ccc-8ddd-eeee12345678')).toEqual([
    'builder',
    'builder-12345678',
  ])
})
