import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'

export const installed = resolve(import.meta.dirname, '../../node_modules')

/** A bare repository with sources of installed packages. */
export class BenchRepository {
  readonly git_dir: string

  constructor(gitDir: string) {
    this.git_dir = gitDir
    this.#git(['init', '-q', '--bare', gitDir])
  }

  /** Commits files of the installed packages. */
  commit(sources: readonly string[]): string {
    this.#git(['update-index', '--add', '-z', '--stdin'], sources.join('\0'))
    return this.#commit()
  }

  /** Commits the same tree with a line more in some files. */
  touch(sources: readonly string[]): string {
    for (const path of sources) {
      const text = `${this.#git(['show', `:${path}`])}\nfunction touched() {}\n`
      const oid = this.#git(['hash-object', '-w', '--stdin'], text).trim()
      this.#git(['update-index', '--cacheinfo', `100644,${oid},${path}`])
    }
    return this.#commit()
  }

  #commit(): string {
    const tree = this.#git(['write-tree']).trim()
    return this.#git(['commit-tree', '-m', 'sources', tree]).trim()
  }

  #git(args: readonly string[], input = ''): string {
    const who = {
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@example.org',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@example.org',
    }
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin', ...who }
    const place = args[0] === 'init' ? [] : [`--git-dir=${this.git_dir}`, `--work-tree=${installed}`]
    return execFileSync('git', [...place, ...args], {
      input,
      env,
      cwd: installed,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    })
  }
}
