import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { waitUntil } from './commands.ts'

export interface ProcessEntry {
  pid: number
  parent: number
  frozen: boolean
}

export interface ProcessMatch {
  /** Only programs of the part count, so that a shell standing in the folder is never signalled. */
  program: RegExp
  /** A process belongs to the part when it works in one of these folders or names a file in one. */
  dirs: string[]
}

interface Candidate extends ProcessEntry {
  belongs: boolean
}

/**
 * All processes of a part, orphans included. Working folders are compared by inode, because a process in
 * another mount namespace shows a path that means nothing here.
 */
export function listProcesses(match: ProcessMatch): ProcessEntry[] {
  const inodes = new Set(match.dirs.map(inodeOf).filter((inode) => inode !== undefined))
  const candidates = new Map<number, Candidate>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const candidate = readCandidate(Number(name), match, inodes)
    if (candidate) candidates.set(candidate.pid, candidate)
  }
  const belongs = (entry: Candidate | undefined): boolean =>
    entry !== undefined && (entry.belongs || belongs(candidates.get(entry.parent)))
  return [...candidates.values()].filter(belongs)
}

function readCandidate(pid: number, match: ProcessMatch, inodes: Set<string>): Candidate | undefined {
  try {
    if (!match.program.test(readlinkSync(`/proc/${pid}/exe`))) return undefined
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (state === 'Z' || state === 'X') return undefined
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    const named = args.some((arg) => match.dirs.some((dir) => arg.startsWith(`${dir}/`)))
    const inode = inodeOf(`/proc/${pid}/cwd`)
    return {
      pid,
      parent: Number(parent),
      frozen: state === 'T',
      belongs: named || (inode !== undefined && inodes.has(inode)),
    }
  } catch {
    // It ended while we looked, or it is another user's.
    return undefined
  }
}

function inodeOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}

export function readPid(file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8').trim(), 10)
    return Number.isNaN(pid) ? undefined : pid
  } catch {
    return undefined
  }
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Signals every process of a part, and again those that were forked meanwhile. Returns how many. */
export async function signalAll(match: ProcessMatch, signal: NodeJS.Signals): Promise<number> {
  const signalled = new Set<number>()
  let fresh = listProcesses(match)
  while (fresh.length > 0) {
    for (const { pid } of fresh) {
      signalled.add(pid)
      sendSignal(pid, signal)
    }
    fresh = listProcesses(match).filter(({ pid }) => !signalled.has(pid))
  }
  if (signal === 'SIGKILL') await waitUntil(() => listProcesses(match).length === 0, 5_000)
  return signalled.size
}
