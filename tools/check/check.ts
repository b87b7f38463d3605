import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** All static checks at once. Prints the output of those that fail, the notes of others, and how long each took. */
const checks: readonly (readonly [string, ...string[]])[] = [
  ['types', 'tsc', '-p', '.'],
  ['types of the dashboard', 'tsc', '-p', 'apps/dashboard'],
  ['dead code', 'knip', '--no-progress'],
  ['style', 'biome', 'check', '--error-on-warnings'],
  ['boundaries', 'node', 'tools/check/check-boundaries.ts'],
  ['sizes', 'node', 'tools/check/check-sizes.ts'],
  ['dependencies', 'node', 'tools/check/check-dependencies.ts'],
  ['secrets', 'node', 'tools/check/check-secrets.ts'],
  ['patterns', 'node', 'tools/check/check-patterns.ts'],
  ['generated files', 'node', 'tools/gen/gen.ts', '--check'],
]

// Types of packages that are not there would be a hundred errors that say nothing.
const missing = listMissing()
if (missing.length > 0) {
  console.log(`not installed: ${missing.slice(0, 5).join(', ')}; run npm ci`)
  process.exit(1)
}

const started = performance.now()
const rest = checks.values()
let failed = 0
const lane = async () => {
  for (const [name, command = '', ...args] of rest) {
    const { ok, output, seconds } = await run(command, args)
    if (!ok) failed += 1
    console.log(`${ok ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)${ok ? notesOf(output) : `\n${output}`}`)
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, lane))
console.log(`check: ${checks.length - failed} passed, ${failed} failed in ${secondsSince(started)} s`)
process.exit(failed > 0 ? 1 : 0)

function run(
  command: string,
  args: readonly string[],
): Promise<{ ok: boolean; output: string; seconds: string }> {
  const began = performance.now()
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes))
    child.on('error', (error) => resolve({ ok: false, output: String(error), seconds: secondsSince(began) }))
    child.on('close', (code) => resolve({ ok: code === 0, output, seconds: secondsSince(began) }))
  })
}

/** Packages of the lock that `npm ci` would install anywhere and that are not installed. */
function listMissing(): string[] {
  const read = (path: string) =>
    JSON.parse(readFileSync(path, 'utf8')).packages as Record<string, { optional?: boolean; link?: boolean }>
  const installed = read('node_modules/.package-lock.json')
  return Object.entries(read('package-lock.json'))
    .filter(([path, { optional, link }]) => path.includes('node_modules/') && !optional && !link)
    .map(([path]) => path)
    .filter((path) => !(path in installed))
}

function notesOf(output: string): string {
  const notes = output.split('\n').filter((line) => line.startsWith('note: '))
  return notes.map((note) => `\n     ${note}`).join('')
}

function secondsSince(start: number): string {
  return ((performance.now() - start) / 1000).toFixed(1)
}
