import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'

/** One entry of a tree: contents as text or bytes; a mode other than 100644 where it says so. */
export interface RepositoryFile {
  readonly path: string | Buffer
  readonly content: string | Uint8Array
  readonly mode?: '100644' | '100755' | '120000'
}

/** A bare repository in a folder of its own. */
export class CodeRepository {
  readonly git_dir: string
  #commits = 0

  private constructor(gitDir: string) {
    this.git_dir = gitDir
  }

  static async create(): Promise<CodeRepository> {
    const folder = await mkdtemp(join(tmpdir(), 'crewhall-code-'))
    const repository = new CodeRepository(join(folder, 'repository.git'))
    await git(['init', '-q', '--bare', '-b', 'main', repository.git_dir])
    return repository
  }

  /** Commits a whole tree and returns the id of the commit. */
  async commit(
    files: readonly RepositoryFile[],
    links: readonly { path: string; commit: string; mode?: '160000' | '100644' }[] = [],
  ): Promise<string> {
    this.#commits += 1
    const parts: Uint8Array[] = [
      Buffer.from(`commit refs/heads/main\ncommitter a <a@example.org> ${this.#commits} +0000\ndata 0\n`),
      Buffer.from(this.#commits > 1 ? 'from refs/heads/main^0\ndeleteall\n' : 'deleteall\n'),
    ]
    for (const { path, content, mode = '100644' } of files) {
      const bytes = Buffer.from(content)
      parts.push(
        Buffer.from(`M ${mode} inline "`),
        escaped(path),
        Buffer.from(`"\ndata ${bytes.length}\n`),
        bytes,
        newline,
      )
    }
    for (const { path, commit, mode = '160000' } of links)
      parts.push(Buffer.from(`M ${mode} ${commit} "`), escaped(path), Buffer.from('"\n'))
    await git([`--git-dir=${this.git_dir}`, 'fast-import', '--quiet', '--force'], Buffer.concat(parts))
    return (await git([`--git-dir=${this.git_dir}`, 'rev-parse', 'refs/heads/main'])).trim()
  }

  /** Adds a blob whose header promises another size than its content has; returns its id. */
  async promiseBlob(size: number, content: string): Promise<string> {
    const oid = hash('sha1', `${size} ${content}`)
    await mkdir(join(this.git_dir, 'objects', oid.slice(0, 2)), { recursive: true })
    const place = join(this.git_dir, 'objects', oid.slice(0, 2), oid.slice(2))
    await writeFile(place, deflateSync(Buffer.from(`blob ${size}\0${content}`)))
    return oid
  }

  async remove(): Promise<void> {
    await rm(join(this.git_dir, '..'), { recursive: true, force: true })
  }
}

const newline = Buffer.from('\n')

/** A name between quotes, byte by byte where it has to be. */
const escaped = (path: string | Buffer): Buffer =>
  Buffer.from(
    [...Buffer.from(path)]
      .map((byte) =>
        byte < 33 || byte > 126 || byte === 34 || byte === 92
          ? `\\${byte.toString(8).padStart(3, '0')}`
          : String.fromCharCode(byte),
      )
      .join(''),
  )

function git(args: readonly string[], input?: Uint8Array): Promise<string> {
  const child = spawn('git', args, {
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let output = ''
  let fault = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (fault += chunk))
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`git ${args.join(' ')}: ${fault}`)),
    )
  })
}
