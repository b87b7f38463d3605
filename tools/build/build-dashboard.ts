import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { withLock } from '@crewhall/services/file-lock.ts'

const root = resolve(import.meta.dirname, '../..')
const app = join(root, 'apps/dashboard')
export const dashboardFolder = join(app, 'dist')
const stamp = join(dashboardFolder, '.sources')

/** Bytes of JavaScript, compressed by gzip: what a browser fetches at most. */
export const firstLoadBudget = 250_000
export const pageBudget = 120_000

export interface BuiltScript {
  readonly file: string
  readonly bytes: number
  /** Fetched before anything is shown; all others come with a page. */
  readonly is_first: boolean
}

/** Builds the dashboard into `apps/dashboard/dist`, which the server serves. */
export function buildDashboard(): void {
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules/.bin/vite'), ['build'], {
    cwd: app,
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production' },
  })
  if (status !== 0) throw new Error(`the dashboard could not be built\n${stdout}\n${stderr}`)
  for (const file of listBuilt().filter((name) => /\.(js|css|html|svg)$/.test(name))) compress(file)
  writeFileSync(stamp, digestOfSources())
}

/** The server sends files as they lie there, so what compresses well is compressed here, once and as well as can be. */
function compress(file: string): void {
  const path = join(dashboardFolder, file)
  const bytes = readFileSync(path)
  const best = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, best))
}

const listBuilt = (): string[] => readdirSync(dashboardFolder, { recursive: true, encoding: 'utf8' })

/** The same unless it was built from the sources as they are. Two runs of tests may want it at once. */
export const ensureDashboard = (): Promise<void> =>
  withLock(join(root, '.cache/dashboard.lock'), async () => {
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digestOfSources()) return
    buildDashboard()
  })

/** Largest first. */
export function listScripts(): BuiltScript[] {
  const page = readFileSync(join(dashboardFolder, 'index.html'), 'utf8')
  const first = new Set(
    [...page.matchAll(/(?:src|href)="\/dashboard\/([^"]+\.js)"/g)].map(([, file]) => file),
  )
  return listBuilt()
    .filter((file) => file.endsWith('.js'))
    .map((file) => ({
      file,
      bytes: gzipSync(readFileSync(join(dashboardFolder, file))).length,
      is_first: first.has(file),
    }))
    .sort((a, b) => b.bytes - a.bytes)
}

function digestOfSources(): string {
  const digest = createHash('sha256')
  for (const folder of ['apps/dashboard', 'packages/client/src', 'packages/contracts/src']) {
    const files = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => !/\/(dist|node_modules)\//.test(path))
    for (const path of files.sort()) digest.update(`${path}\0`).update(readFileSync(path))
  }
  return digest.update(readFileSync(join(root, 'package-lock.json'))).digest('hex')
}
