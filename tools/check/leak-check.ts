import { dirname } from 'node:path'
import type { Violation } from './repo-files.ts'
import { tokenPatterns } from './token-patterns.ts'

type Leak = { rule: string; pattern: RegExp; message: string }

const fixedLeaks: readonly Leak[] = [
  ...tokenPatterns,
  { rule: 'registry', pattern: /https?:\/\/registry\./, message: 'the address of a package registry' },
  { rule: 'machine-path', pattern: /\bfile:\/\/\/\w/, message: 'a file address of one machine' },
  { rule: 'machine-path', pattern: /\/Users\/\w+\/|[A-Z]:\\+Users\\/, message: 'a personal folder' },
]

// Folders every machine has. Naming them gives nothing away.
const commonFolders = [
  '/',
  '/app',
  '/home',
  '/mnt',
  '/opt',
  '/root',
  '/srv',
  '/tmp',
  '/usr/src',
  '/var',
  '/var/tmp',
]

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

// Where this checkout stands is learned while running, so the list itself names no machine. A colon begins
// a verb of a route, as in `tasks:batch`.
const checkoutLeaks = (root: string): Leak[] =>
  [root, dirname(root)]
    .filter((folder) => !commonFolders.includes(folder))
    .map((folder) => ({
      rule: 'machine-path',
      pattern: new RegExp(`(?<![\\w./~-])${escapePattern(folder)}(?![\\w:-])`),
      message: 'the folder of one checkout',
    }))

export const checkLeaks = (root: string, path: string, text: string): Violation[] => {
  if (text.includes('\0')) return []
  const leaks = [...fixedLeaks, ...checkoutLeaks(root)].filter(({ pattern }) => pattern.test(text))
  if (leaks.length === 0) return []
  return text
    .split('\n')
    .flatMap((content, index) =>
      leaks
        .filter(({ pattern }) => pattern.test(content))
        .map(({ rule, message }) => ({ path, line: index + 1, rule, message: `holds ${message}` })),
    )
}
