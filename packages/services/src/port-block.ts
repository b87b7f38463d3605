import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { cacheDir } from './cache-dir.ts'
import { findServiceFacts } from './facts.ts'

export const host = '127.0.0.1'
export const blockSize = 20
const firstBase = 15400
const lastBase = 32000

const registryFile = join(cacheDir, 'port-blocks.json')
export const registryLock = join(cacheDir, 'port-blocks.lock')

/** Call it while holding `registryLock`: it decides by what other checkouts have written down. */
export async function chooseBase(root: string): Promise<number> {
  const wanted = process.env.SERVICES_PORT_BASE
  if (wanted) {
    const base = Number(wanted)
    if (!Number.isInteger(base) || base < 1024 || base > 65_535 - blockSize)
      throw new Error(`SERVICES_PORT_BASE must be a port number, not ${wanted}`)
    return base
  }
  // A checkout whose parts are down holds no port, so a probe alone would give its block away.
  const taken = readRegistry(root)
  for (let base = firstBase; base < lastBase; base += blockSize)
    if (taken[base] === undefined && (await isBlockFree(base))) return base
  throw new Error('No free block of ports. Choose one with SERVICES_PORT_BASE')
}

export function registerBase(root: string, base: number): void {
  writeFileSync(registryFile, `${JSON.stringify({ ...readRegistry(root), [base]: root }, null, 2)}\n`)
}

/** Bases held by other checkouts that still exist. */
function readRegistry(root: string): Record<string, string> {
  if (!existsSync(registryFile)) return {}
  const entries = Object.entries(JSON.parse(readFileSync(registryFile, 'utf8')) as Record<string, string>)
  return Object.fromEntries(
    entries.filter(([base, owner]) => owner !== root && isHolding(owner, Number(base))),
  )
}

function isHolding(owner: string, base: number): boolean {
  try {
    return findServiceFacts(owner)?.port_base === base
  } catch {
    return true
  }
}

async function isBlockFree(base: number): Promise<boolean> {
  const ports = Array.from({ length: blockSize }, (_, offset) => base + offset)
  return (await Promise.all(ports.map(isPortFree))).every(Boolean)
}

function isPortFree(port: number): Promise<boolean> {
  const probe = createServer()
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false))
    probe.listen(port, host, () => probe.close(() => resolve(true)))
  })
}
