import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pages } from '@crewhall/cli/commands/pages.ts'
import { expect, test } from 'vitest'

test('pages that a command opens are those of the dashboard', () => {
  const file = resolve(import.meta.dirname, '../../apps/dashboard/src/app/paths.ts')
  const [, list = ''] = /export const paths = \{(.*?)\n\} as const/s.exec(readFileSync(file, 'utf8')) ?? []
  const theirs = new Map([...list.matchAll(/^ {2}(\w+): '([^']+)'/gm)].map(([, name, path]) => [name, path]))
  expect(theirs.size).toBeGreaterThan(10)
  for (const [name, path] of Object.entries(pages)) expect([name, theirs.get(name)]).toEqual([name, path])
})
