import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { ensurePackages, isRoot } from '@crewhall/services/debian-packages.ts'
import { emulationPackages, ensureEmulation } from '@crewhall/testkit/hosts/emulation.ts'
import { ensureHostRoot, hostPackages } from '@crewhall/testkit/hosts/host-root.ts'
import { isFull } from '@crewhall/testkit/rounds.ts'

/**
 * Runs the tests that need whole machines; with `prepare` it only installs and builds what they need. Where there can be
 * none, it says so, and that is no success.
 */
const notRun = 77
const browserPackages = ['chromium-headless-shell', 'fonts-liberation']

if (!isRoot) {
  console.log('not run: hosts with namespaces of their own need root')
  process.exit(notRun)
}
const reports = resolve(import.meta.dirname, '../../.reports')
mkdirSync(reports, { recursive: true })
await ensurePackages(
  [...hostPackages, ...browserPackages, ...(isFull ? emulationPackages : [])],
  resolve(reports, 'e2e-packages.log'),
)
await ensureHostRoot()
if (isFull) {
  await ensureEmulation()
  await ensureHostRoot('arm64')
}
const args = process.argv.slice(2)
if (args[0] === 'prepare') process.exit(0)
const { status } = spawnSync('vitest', ['run', '--config', 'vitest.e2e.config.ts', ...args], {
  stdio: 'inherit',
})
process.exit(status ?? 1)
