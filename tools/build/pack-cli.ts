import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Bundle } from './bundle.ts'
import { bundleCli } from './bundle-cli.ts'

const root = resolve(import.meta.dirname, '../..')

/** What `npm install` needs to know of the archive. */
function manifest(version: string, manual: readonly string[]): object {
  return {
    name: 'crewhall',
    version,
    description: 'The command line of Crewhall',
    license: 'Apache-2.0',
    type: 'module',
    bin: { crewhall: 'crewhall.mjs' },
    engines: { node: '>=26' },
    ...(manual.length > 0 ? { man: manual.map((page) => `./man/${page}`) } : {}),
  }
}

/** Writes the command line, and the archive that installs it with its manual; the same sources give the same bytes. */
export async function packCli(folder: string): Promise<{ program: Bundle; archive: Bundle }> {
  const program = await bundleCli(folder)
  const { version } = JSON.parse(readFileSync(join(root, 'apps/cli/package.json'), 'utf8')) as {
    version: string
  }
  const inside = join(folder, 'package')
  rmSync(inside, { recursive: true, force: true })
  mkdirSync(join(inside, 'man'), { recursive: true })
  const pages = globSync('docs/man/*.1', { cwd: root }).toSorted()
  for (const file of [program.file, join(folder, 'crewhall-jq.cjs'), join(root, 'LICENSE')])
    copyFileSync(file, join(inside, basename(file)))
  for (const page of pages) copyFileSync(join(root, page), join(inside, 'man', basename(page)))
  const told = manifest(
    version,
    pages.map((page) => basename(page)),
  )
  writeFileSync(join(inside, 'package.json'), `${JSON.stringify(told, null, 2)}\n`)
  const file = join(folder, `crewhall-${version}.tgz`)
  if (existsSync(file)) rmSync(file)
  const steady = [
    '--sort=name',
    '--mtime=@0',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mode=u+rwX,go+rX,go-w',
  ]
  execFileSync('tar', [...steady, '--use-compress-program=gzip -n', '-cf', file, '-C', folder, 'package'])
  rmSync(inside, { recursive: true })
  const bytes = readFileSync(file)
  const digest = createHash('sha256').update(bytes).digest('hex')
  return { program, archive: { file, bytes: bytes.length, digest } }
}
