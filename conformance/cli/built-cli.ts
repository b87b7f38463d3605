import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { withLock } from '@crewhall/services/file-lock.ts'
import { packCli } from '../../tools/build/pack-cli.ts'

const root = resolve(import.meta.dirname, '../..')
const cache = join(root, 'node_modules/.cache/crewhall-cli')
const sources = [
  'apps/cli/{package.json,src/**/*.ts}',
  'packages/{client,contracts}/src/**/*.ts',
  'tools/build/*cli.ts',
  'docs/man/*',
  'package-lock.json',
]

/** The folder that holds the program and its archive, built once for these sources, whichever file asks first. */
export function builtCli(): Promise<string> {
  const digest = createHash('sha256')
  for (const file of globSync(sources, { cwd: root }).toSorted())
    digest.update(`${file}\0`).update(readFileSync(join(root, file)))
  const folder = join(cache, digest.digest('hex').slice(0, 24))
  mkdirSync(cache, { recursive: true })
  return withLock(join(cache, 'build.lock'), async () => {
    if (existsSync(folder)) return folder
    const beside = mkdtempSync(join(cache, 'new-'))
    try {
      await packCli(beside)
      renameSync(beside, folder)
    } catch (error) {
      rmSync(beside, { recursive: true, force: true })
      throw error
    }
    return folder
  })
}
