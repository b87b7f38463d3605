import { listDangling, type OptionalLock } from './dangling-lock.ts'
import type { Violation } from './repo-files.ts'

export type LockEntry = {
  version?: string
  resolved?: string
  integrity?: string
  license?: string
  link?: boolean
  dev?: boolean
  optional?: boolean
  inBundle?: boolean
  hasInstallScript?: boolean
  os?: string | string[]
  cpu?: string | string[]
}
export type Lock = { packages?: Record<string, LockEntry> }

export const productionBudget = 195

// Package name to reason. Scripts stay switched off for these too; the list only says we know of them.
const allowedScripts: Readonly<Record<string, string>> = {
  fsevents: 'file watching on macOS, an optional part of the test runner; it works without its script',
}

const licences = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'MIT-0',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Python-2.0',
  'Unlicense',
])
// Shared libraries in separate files, which operators may replace: docs/decisions/0018.
const replaceable: readonly { name: RegExp; licence: string }[] = [
  { name: /^@img\/sharp-/, licence: 'LGPL-3.0-or-later' },
]
// The fonts of the dashboard: docs/decisions/0072.
const developmentLicences = new Set([...licences, 'MPL-2.0', 'OFL-1.1'])

// One side of an OR is enough, both sides of an AND are needed. A missing bracket level errs towards refusal.
export const isLicenceAllowed = (licence: string, isDevelopment: boolean): boolean => {
  const allowed = isDevelopment ? developmentLicences : licences
  const alternatives = licence.replace(/[()]/g, '').split(/\s+OR\s+/)
  return alternatives.some((each) => each.split(/\s+AND\s+/).every((name) => allowed.has(name.trim())))
}

// The root, the workspace folders and the links to them are our own code.
const listInstalled = (lock: Lock): [string, LockEntry][] =>
  Object.entries(lock.packages ?? {}).filter(
    ([path, entry]) => path.includes('node_modules/') && entry.link !== true,
  )

const faultsOf = (name: string, entry: LockEntry, scripts: Readonly<Record<string, string>>) => {
  const faults: [string, string][] = []
  // A bundled package travels inside its parent's archive, which the parent's integrity covers.
  if (!entry.integrity && entry.inBundle !== true) faults.push(['integrity', 'has no integrity'])
  if (entry.resolved !== undefined) faults.push(['resolved', 'carries an address it was fetched from'])
  if (entry.hasInstallScript === true && !scripts[name]?.trim()) {
    faults.push(['install-script', 'wants to run an install script and is not on the list'])
  }
  const excused = replaceable.find((each) => each.name.test(name))?.licence
  const licence = (entry.license ?? '').split(/\s+AND\s+/).filter((each) => each !== excused)
  if (licence.length > 0 && !isLicenceAllowed(licence.join(' AND '), entry.dev === true)) {
    faults.push(['licence', `has licence ${entry.license ?? 'unknown'}`])
  }
  return faults
}

/** Builds of a package for machines that the product is not made for are listed and never installed. */
const isForServers = ({ os = 'linux', cpu = 'x64' }: LockEntry): boolean =>
  [os].flat().includes('linux') && [cpu].flat().some((each) => each === 'x64' || each === 'arm64')

export const countProduction = (lock: Lock): number =>
  listInstalled(lock).filter(([, entry]) => entry.dev !== true && isForServers(entry)).length

export const checkLock = (text: string, scripts = allowedScripts): Violation[] => {
  const path = 'package-lock.json'
  const lock = JSON.parse(text) as Lock
  const lines = text.split('\n')
  const violations = listInstalled(lock).flatMap(([key, entry]) => {
    const name = key.slice(key.lastIndexOf('node_modules/') + 'node_modules/'.length)
    const line = lines.findIndex((each) => each.includes(`${JSON.stringify(key)}:`)) + 1
    return faultsOf(name, entry, scripts).map(([rule, fault]) => ({
      path,
      line,
      rule,
      message: `${key} ${fault}`,
    }))
  })
  for (const { key, name } of listDangling(lock as OptionalLock)) {
    const message = `${key} lists ${name}, which has no entry: run node tools/check/tidy-lock.ts`
    violations.push({ path, line: 1, rule: 'dangling', message })
  }
  const count = countProduction(lock)
  if (count <= productionBudget) return violations
  const message = `${count} production packages, budget ${productionBudget}`
  return [...violations, { path, line: 1, rule: 'package-budget', message }]
}
