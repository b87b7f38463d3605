import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Nothing of the machine or of a person decides what a repository of a test becomes. */
const env = {
  PATH: process.env.PATH ?? '/usr/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ann Example',
  GIT_AUTHOR_EMAIL: 'ann@example.test',
  GIT_COMMITTER_NAME: 'Ann Example',
  GIT_COMMITTER_EMAIL: 'ann@example.test',
  GIT_AUTHOR_DATE: '2026-01-31T09:30:00Z',
  GIT_COMMITTER_DATE: '2026-01-31T09:30:00Z',
}

/** Text of each file, or null for one that goes. */
export type FileChanges = Readonly<Record<string, string | null>>

/** A real repository with a work tree, and a bare one that servers serve. */
export class TestRepository {
  /** Holds the bare one under its name. */
  readonly root: string
  readonly name: string
  readonly #own: boolean

  constructor(name = 'engine.git', root?: string) {
    this.#own = root === undefined
    this.root = root ?? mkdtempSync(join(tmpdir(), 'crewhall-git-'))
    this.name = name
    execFileSync('git', ['init', '-q', '-b', 'main', this.work], { env })
    execFileSync('git', ['clone', '-q', '--bare', this.work, this.bare], { env, stdio: 'ignore' })
    this.git('remote', 'add', 'origin', this.bare)
  }

  get work(): string {
    return join(this.root, `${this.name}.work`)
  }

  get bare(): string {
    return join(this.root, this.name)
  }

  /** What git prints, without the line break at its end. */
  git(...args: readonly string[]): string {
    return execFileSync('git', ['-C', this.work, ...args], {
      env,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trimEnd()
  }

  /** Commits these changes and returns the id of the commit. */
  commit(files: FileChanges, message = 'Change'): string {
    for (const [path, text] of Object.entries(files)) {
      const at = join(this.work, path)
      if (text === null) rmSync(at)
      else {
        mkdirSync(dirname(at), { recursive: true })
        writeFileSync(at, text)
      }
    }
    this.git('add', '-A')
    this.git('commit', '-q', '--allow-empty', '-m', message)
    return this.git('rev-parse', 'HEAD')
  }

  move(from: string, to: string): void {
    mkdirSync(dirname(join(this.work, to)), { recursive: true })
    this.git('mv', from, to)
  }

  /** Makes what was committed visible to those who fetch. */
  push(...options: readonly string[]): void {
    this.git('push', '-q', ...options, 'origin', 'HEAD')
  }

  remove(): void {
    rmSync(this.#own ? this.root : this.work, { recursive: true, force: true })
    rmSync(this.bare, { recursive: true, force: true })
  }
}
