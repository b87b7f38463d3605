import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dropDatabase } from './databases.ts'

/** What the workers of a run have started and left running: a worker is not asked before it ends. */
const listOf = (run: string): string => join(tmpdir(), `crewhall-started-${run}`)

const note = (run: string, line: string): void => appendFileSync(listOf(run), `${line}\n`)

export const noteStarted = (run: string, pid: number, database: string): void =>
  note(run, `started ${database} ${pid}`)

/** A test has failed on it: somebody will want to look. */
export const noteKept = (run: string, database: string): void => note(run, `kept ${database}`)

/** At the end of a run: ends the processes and drops the databases that nobody keeps. */
export async function endStarted(run: string): Promise<void> {
  const list = listOf(run)
  if (!existsSync(list)) return
  const words = readFileSync(list, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' '))
  const kept = new Set(words.filter(([word]) => word === 'kept').map(([, database]) => database))
  for (const [, database = '', pid] of words) {
    if (kept.has(database)) continue
    endProcess(Number(pid))
    await dropDatabase(database)
  }
  rmSync(list)
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch {
    // It has ended with its worker.
  }
}
