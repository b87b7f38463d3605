import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensurePackages } from './debian-packages.ts'
import { listEnvironment } from './environment.ts'
import { factsFile, findServiceFacts, readServiceFacts, type ServiceFacts, stateDir } from './facts.ts'
import { withLock } from './file-lock.ts'
import { killPart } from './kill-part.ts'
import { type Part, partNames } from './part.ts'
import { erasePart, startPart, stopPart } from './part-lifecycle.ts'
import { readPartState } from './part-state.ts'
import { makeParts, parsePartNames } from './parts.ts'
import { ensureFacts, isMoveWanted } from './plan-facts.ts'

/** A verb returns the exit code. */
export type Verb = (root: string, words: string[]) => Promise<number>

const whileLocked = (root: string, work: () => Promise<number>): Promise<number> => {
  mkdirSync(stateDir(root), { recursive: true, mode: 0o755 })
  return withLock(join(stateDir(root), 'lock'), work)
}

const up: Verb = async (root, words) => {
  const names = parsePartNames(words)
  return whileLocked(root, async () => startAll(root, makeParts(await ensureFacts(root), names)))
}

const down: Verb = async (root, words) => {
  const names = parsePartNames(words)
  const facts = findServiceFacts(root)
  if (!facts) return 0
  return whileLocked(root, () => onEach(makeParts(facts, names), stopPart))
}

const reset: Verb = async (root, words) => {
  const names = parsePartNames(words)
  return whileLocked(root, async () => {
    const recorded = findServiceFacts(root)
    if (recorded) {
      await Promise.all(makeParts(recorded, names).map(erasePart))
      // Only when nothing is left that knows the old ports may they change.
      if (names.length === partNames.length && isMoveWanted(recorded)) rmSync(factsFile(root))
    }
    return startAll(root, makeParts(await ensureFacts(root), names))
  })
}

const status: Verb = async (root, words) => {
  const names = parsePartNames(words)
  const facts = findServiceFacts(root)
  if (!facts) {
    for (const name of names) console.log(`${name.padEnd(9)} stopped`)
    return 1
  }
  const states = makeParts(facts, names).map((part) => ({ part, ...readPartState(part) }))
  for (const { part, kind, pids } of states)
    console.log(
      `${part.name.padEnd(9)} ${kind.padEnd(8)} ${part.address.padEnd(16)} pid ${pids.join(' ') || '-'}`,
    )
  return states.every(({ kind }) => kind === 'running') ? 0 : 1
}

const env: Verb = async (root, words) => {
  const facts: ServiceFacts = readServiceFacts(root)
  const names = parsePartNames(words.filter((word) => word !== '--json'))
  const settings = listEnvironment(facts, names)
  if (words.includes('--json')) console.log(JSON.stringify(settings, null, 2))
  else for (const [key, value] of Object.entries(settings)) console.log(`${key}=${value}`)
  return 0
}

const signals: Record<string, NodeJS.Signals> = { KILL: 'SIGKILL', STOP: 'SIGSTOP', CONT: 'SIGCONT' }

const signal: Verb = async (root, words) => {
  const [word, wanted = ''] = words
  const name = word === undefined ? undefined : parsePartNames([word])[0]
  const chosen = signals[wanted.replace(/^SIG/, '')]
  if (!name || !chosen) throw new Error('Use: signal <part> KILL|STOP|CONT')
  console.log(`${name.padEnd(9)} ${chosen} to ${await killPart(name, chosen, root)} processes`)
  return 0
}

export const verbs: Record<string, Verb> = { up, down, status, reset, env, signal }

async function startAll(root: string, parts: Part[]): Promise<number> {
  // One installation for all parts, since apt lets only one run at a time. A part that runs already may have
  // been started by a version that needed fewer packages.
  const packages = parts.flatMap((part) => part.packages)
  await ensurePackages(packages, join(stateDir(root), 'apt.log'))
  return onEach(parts, startPart)
}

/** All parts at once; one that fails does not keep the others from ending properly. */
async function onEach(parts: Part[], work: (part: Part) => Promise<string>): Promise<number> {
  const results = await Promise.allSettled(
    parts.map(async (part) => {
      const begun = performance.now()
      const word = await work(part)
      const took = `${((performance.now() - begun) / 1000).toFixed(1)} s`
      console.log(`${part.name.padEnd(9)} ${word.padEnd(8)} ${part.address.padEnd(16)} ${took}`)
    }),
  )
  const failed = results.filter((result) => result.status === 'rejected')
  for (const { reason } of failed) console.error(reason instanceof Error ? reason.message : reason)
  return failed.length === 0 ? 0 : 1
}
