import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const env = {
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.com',
}

/** A repository with a work tree, made with real git. */
export class ToyRepository {
  readonly dir: string
  #commits = 0
  readonly #texts = new Map<string, string>()
  readonly #blobs = new Map<string, string>()

  constructor(dir = mkdtempSync(join(tmpdir(), 'toy-'))) {
    this.dir = dir
    this.git('init', '-q', '-b', 'main')
  }

  git(...args: readonly string[]): string {
    return execFileSync('git', ['-c', 'gc.auto=0', ...args], {
      cwd: this.dir,
      env,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  }

  /** For code that reads histories. */
  readonly reader = async (args: readonly string[], { input = '' }: { input?: string } = {}) => {
    const done = spawnSync('git', args, { cwd: this.dir, env, encoding: 'utf8', input, maxBuffer: 1 << 28 })
    return { code: done.status ?? -1, stdout: done.stdout, stderr: done.stderr }
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.dir, path)), { recursive: true })
    writeFileSync(join(this.dir, path), text)
  }

  read(path: string): string {
    return readFileSync(join(this.dir, path), 'utf8')
  }

  commit(): string {
    this.#commits += 1
    this.git('add', '-A')
    this.git('commit', '-q', '--allow-empty', '-m', `commit ${this.#commits}`)
    return this.head()
  }

  head(): string {
    return this.git('rev-parse', 'HEAD').trim()
  }

  /** Contents never change, so each is asked for once. */
  textAt(commit: string, path: string): string {
    const known = this.#texts.get(`${commit}:${path}`)
    if (known !== undefined) return known
    for (const [at, text] of this.#textsOf(commit)) this.#texts.set(`${commit}:${at}`, text)
    return this.#texts.get(`${commit}:${path}`) ?? ''
  }

  #textsOf(commit: string): [string, string][] {
    const entries = this.git('ls-tree', '-r', '-z', commit).split('\0').filter(Boolean)
    const [oids, paths] = [
      entries.map((entry) => entry.split('\t')[0]?.split(' ')[2] ?? ''),
      entries.map((entry) => entry.split('\t')[1] ?? ''),
    ]
    const wanted = [...new Set(oids)].filter((oid) => !this.#blobs.has(oid))
    const input = wanted.map((oid) => `${oid}\n`).join('')
    const output = execFileSync('git', ['cat-file', '--batch'], {
      cwd: this.dir,
      env,
      input,
      maxBuffer: 1 << 28,
    })
    let at = 0
    for (const oid of wanted) {
      const end = output.indexOf(10, at)
      const size = Number(output.toString('utf8', at, end).split(' ')[2])
      this.#blobs.set(oid, output.toString('utf8', end + 1, end + 1 + size))
      at = end + size + 2
    }
    return paths.map((path, n) => [path, this.#blobs.get(oids[n] ?? '') ?? ''])
  }

  paths(commit = 'HEAD'): string[] {
    return this.git('ls-tree', '-r', '-z', '--name-only', commit).split('\0').filter(Boolean)
  }

  close(): void {
    rmSync(this.dir, { recursive: true, force: true })
  }
}

export interface ToySymbol {
  readonly name: string
  readonly body: string
  readonly body_hash: string | null
}

/** `def name:` begins a symbol; the lines up to the next one are its body. */
export function toySymbols(text: string): ToySymbol[] {
  const symbols = new Map<string, string>()
  let name: string | undefined
  for (const line of text.split('\n')) {
    const begun = /^def ([\w.]+):$/.exec(line)?.[1]
    if (begun !== undefined) {
      name = begun
      symbols.set(name, '')
    } else if (name !== undefined) symbols.set(name, `${symbols.get(name)}${line}\n`)
  }
  return [...symbols].map(([name, body]) => ({
    name,
    body,
    body_hash: body.length > 60 ? createHash('sha256').update(body).digest('hex').slice(0, 20) : null,
  }))
}
