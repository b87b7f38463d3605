import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../../..')

/** What tests start often. */
export const programs = [
  ...['api', 'worker', 'hub', 'migrate', 'verify-data', 'crewhall-admin'].map(
    (name) => `apps/server/src/${name}.ts`,
  ),
  ...['api', 'worker', 'migrate'].map((name) => `apps/server/test/probe/probe-${name}.ts`),
]

export const bundledName = (entry: string): string => basename(entry, '.ts')

/** Where this run of tests has its bundles; nothing with TEST_SOURCES=1. */
export const bundlesVariable = 'CREWHALL_TEST_BUNDLES'

/** The file to start for an entry: its bundle, which does the same and starts in less than half the time. */
export function programOf(entry: string): string {
  const folder = process.env[bundlesVariable]
  const bundle = folder === undefined ? undefined : join(folder, `${bundledName(entry)}.mjs`)
  return bundle !== undefined && programs.includes(entry) && existsSync(bundle)
    ? bundle
    : resolve(root, entry)
}
