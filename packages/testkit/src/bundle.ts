import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isFull } from './rounds.ts'

const root = resolve(import.meta.dirname, '../../..')
const cache = resolve(root, 'node_modules/.cache/bundles')
const kept = 5

/** What tests start some hundred times. */
const entries = [
  'apps/server/src/api.ts',
  'apps/server/src/worker.ts',
  'apps/server/src/verify-data.ts',
  'apps/server/test/probe/probe-api.ts',
  'apps/server/test/probe/probe-worker.ts',
]

const sources = ['apps/server/{src,test}/**/*.ts', 'packages/contracts/src/**/*.ts', 'package-lock.json']

/**
 * Joins the sources of each process and of its libraries to a few files, because loading more than a thousand takes
 * half of the time of a start. Once before all tests; nothing to do while the sources are the same. The full run
 * starts the sources everywhere, and so do shared servers.
 */
export async function bundleSources(): Promise<void> {
  if (isFull) return
  const dir = resolve(cache, digestOfSources())
  if (!existsSync(dir)) await write(dir)
  process.env.CREWHALL_TEST_BUNDLES = dir
}

/** The file to run for an entry: its bundle, where there is one. */
export function bundleOf(entry: string): string {
  const dir = process.env.CREWHALL_TEST_BUNDLES
  return resolve(root, dir && entries.includes(entry) ? resolve(dir, nameOf(entry)) : entry)
}

const nameOf = (entry: string): string => basename(entry).replace(/ts$/, 'mjs')

function digestOfSources(): string {
  const hash = createHash('sha256')
  for (const path of globSync(sources, { cwd: root }).sort()) {
    const { mtimeMs, size } = statSync(resolve(root, path))
    hash.update(`${path} ${mtimeMs} ${size}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}

async function write(dir: string): Promise<void> {
  const { rolldown } = await findBundler()
  const build = await rolldown({
    input: entries.map((entry) => resolve(root, entry)),
    platform: 'node',
    external: ['sharp'],
    plugins: [ownPlace],
    logLevel: 'silent',
  })
  // Complete or not there at all: another run may look for it meanwhile.
  mkdirSync(cache, { recursive: true })
  dropOld()
  const draft = mkdtempSync(`${dir}.`)
  await build.write({ dir: draft, entryFileNames: '[name].mjs' })
  await build.close()
  try {
    renameSync(draft, dir)
  } catch {
    // Another run was faster.
    rmSync(draft, { recursive: true })
  }
}

/** A run that is still on may use the last few. */
function dropOld(): void {
  const dirs = readdirSync(cache).map((name) => resolve(cache, name))
  const byAge = dirs.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
  for (const dir of byAge.slice(kept)) rmSync(dir, { recursive: true, force: true })
}

/** What is used of Rolldown. */
interface Bundler {
  rolldown(options: object): Promise<{ write(output: object): Promise<unknown>; close(): Promise<void> }>
}

/** The one that vitest itself works with, by way of Vite. */
async function findBundler(): Promise<Bundler> {
  const vitest = createRequire(import.meta.filename).resolve('vitest/package.json')
  const vite = createRequire(vitest).resolve('vite/package.json')
  return import(pathToFileURL(createRequire(vite).resolve('rolldown')).href)
}

/** A file that looks for others beside itself goes on looking there, and not beside the bundle. */
const ownPlace = {
  name: 'own-place',
  transform(code: string, id: string) {
    if (/\b__dirname\b/.test(code)) return `var __dirname = ${JSON.stringify(dirname(id))};${code}`
    const url = JSON.stringify(pathToFileURL(id).href)
    return code.includes('import.meta.url') ? code.replaceAll('import.meta.url', url) : undefined
  },
}
