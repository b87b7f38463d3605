import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { builtCli } from './built-cli.ts'

export interface Ended {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  readonly cwd?: string
}

/** The bundle, run as a program by somebody with a home of their own. */
export class CommandLine {
  readonly file: string
  readonly home: string
  readonly #env: Readonly<Record<string, string>>

  constructor(file: string, home: string, env: Readonly<Record<string, string>> = {}) {
    this.file = file
    this.home = home
    this.#env = env
  }

  /** The same person with further variables. */
  with(env: Readonly<Record<string, string>>): CommandLine {
    return new CommandLine(this.file, this.home, { ...this.#env, ...env })
  }

  /** Piped, as a script runs it. */
  run(args: readonly string[], { env, input = '', cwd = this.home }: Surroundings = {}): Promise<Ended> {
    return new Promise((resolve) => {
      const options = { cwd, env: { ...this.environment(), ...env }, maxBuffer: 64 * 1024 * 1024 }
      const child = execFile(process.execPath, [this.file, ...args], options, (error, out, err) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1
        resolve({ code, out, err })
      })
      child.stdin?.on('error', () => undefined)
      child.stdin?.end(input)
    })
  }

  /** On a pseudo-terminal that is so wide. Both streams arrive together, with the line ends of a terminal. */
  onTerminal(args: readonly string[], columns = 80, keys = ''): Promise<Ended> {
    const words = [process.execPath, this.file, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
    const command = `stty cols ${columns} rows 40 -echo; exec ${words.join(' ')}`
    return new Promise((resolve) => {
      const child = spawn('script', ['-qefc', command, '/dev/null'], {
        cwd: this.home,
        env: { ...this.environment(), TERM: 'xterm-256color' },
      })
      let out = ''
      child.stdout.on('data', (bytes: Buffer) => {
        out += bytes
      })
      child.stdin.on('error', () => undefined)
      if (keys === '') child.stdin.end()
      else child.stdin.write(keys)
      child.on('close', (code) => resolve({ code: code ?? -1, out: out.replaceAll('\r\n', '\n'), err: '' }))
    })
  }

  environment(): Record<string, string> {
    return { PATH: process.env.PATH ?? '', HOME: this.home, LANG: 'C.UTF-8', ...this.#env }
  }
}

/** Each person that it makes has a home which ends with the test file. */
export function useCommandLine(): (env?: Readonly<Record<string, string>>) => CommandLine {
  const folder = mkdtempSync(join(tmpdir(), 'cli-'))
  let file = ''
  beforeAll(async () => {
    file = join(await builtCli(), 'crewhall.mjs')
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return (env = {}) => new CommandLine(file, mkdtempSync(join(folder, 'home-')), env)
}
