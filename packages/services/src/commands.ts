import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

// Debian keeps daemons in sbin, which the PATH of an ordinary user leaves out.
const env = { ...process.env, PATH: `${process.env.PATH ?? ''}:/usr/local/sbin:/usr/sbin:/sbin` }

export interface Outcome {
  code: number
  output: string
}

interface RunOptions {
  env?: Record<string, string>
  input?: string
  logFile?: string
}

/** Runs a command to its end and returns its exit code with everything it printed. */
export function attempt(command: string, args: string[], options: RunOptions = {}): Promise<Outcome> {
  // A daemon started by the command inherits its output. A file can stay open; a pipe would keep us waiting.
  const sink = options.logFile === undefined ? 'pipe' : openLog(options.logFile)
  const child = spawn(command, args, { env: { ...env, ...options.env }, stdio: ['pipe', sink, sink] })
  if (typeof sink === 'number') closeSync(sink)
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(options.input ?? '')
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: 127, output: error.message }))
    child.on(typeof sink === 'number' ? 'exit' : 'close', (code) => resolve({ code: code ?? 1, output }))
  })
}

/** As `attempt`, but a failing command is an error that shows what the command said. */
export async function run(command: string, args: string[], options: RunOptions = {}): Promise<string> {
  const { code, output } = await attempt(command, args, options)
  if (code === 0) return output
  const said = options.logFile === undefined ? output : tailOf(options.logFile)
  throw new Error(`${command} ${args[0] ?? ''} ended with ${code}:\n${said.trimEnd()}`)
}

/** Starts a process that outlives us, with its own session and its output in a file. */
export function startDetached(command: string, args: string[], logFile: string): Promise<void> {
  const log = openLog(logFile)
  const child = spawn(command, args, { env, detached: true, cwd: '/', stdio: ['ignore', log, log] })
  closeSync(log)
  child.unref()
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('spawn', resolve)
  })
}

/** Its folder may not be there yet on a new checkout. */
function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true })
  return openSync(file, 'a')
}

export function tailOf(file: string, lines = 15): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n')
  } catch {
    return ''
  }
}

export async function waitUntil(done: () => boolean | Promise<boolean>, limit_ms: number): Promise<boolean> {
  const deadline = Date.now() + limit_ms
  while (!(await done())) {
    if (Date.now() > deadline) return false
    await sleep(50)
  }
  return true
}
