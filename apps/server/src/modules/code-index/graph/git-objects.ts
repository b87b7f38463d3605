import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'

/** Nothing of our environment reaches git, and no settings of the machine or of a person. */
const env = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  LC_ALL: 'C',
}

export interface TreeEntry {
  /** Nothing where the name is no text in UTF-8. */
  readonly path: string | undefined
  /** For messages. */
  readonly shown: string
  readonly kind: 'file' | 'link' | 'submodule'
  readonly oid: string
  readonly size: number
}

export class GitFault extends Error {}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Everything in the tree of a commit, or below one folder of it. */
export async function listTree(
  gitDir: string,
  commit: string,
  signal?: AbortSignal,
  folder?: string,
): Promise<TreeEntry[]> {
  if (!/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(commit)) throw new GitFault('a commit is named by its whole id')
  const args = [`--git-dir=${gitDir}`, 'ls-tree', '-r', '-z', '-l', '--full-tree', commit]
  if (folder !== undefined) args.push('--', `${folder}/`)
  const bytes = await outputOf(args, signal)
  const entries: TreeEntry[] = []
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0, start)
    const tab = bytes.indexOf(9, start)
    const [mode = '', , oid = '', size = ''] = bytes.toString('latin1', start, tab).split(/ +/)
    const name = bytes.subarray(tab + 1, end)
    const kind = mode === '160000' ? 'submodule' : mode === '120000' ? 'link' : 'file'
    entries.push({ path: decoded(name), shown: name.toString('utf8'), kind, oid, size: Number(size) || 0 })
    start = end + 1
  }
  return entries
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

async function outputOf(args: readonly string[], signal: AbortSignal | undefined): Promise<Buffer> {
  const child = spawn('git', args, { env, stdio: ['ignore', 'pipe', 'pipe'], ...(signal ? { signal } : {}) })
  const chunks: Buffer[] = []
  let fault = ''
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => (fault = (fault + chunk.toString()).slice(-2_000)))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  if (code !== 0) throw new GitFault(`git ${args[1]} ended with ${code}: ${fault.trim()}`)
  return Buffer.concat(chunks)
}

const newline = 10
const damaged = () => new GitFault('the copy is damaged: a blob is not what it promises')
/** A blob that is shorter than it promises is waited for in vain. */
const longestWaitMs = 60_000

/** Reads blobs through one `git cat-file --batch`. */
export class BlobReader {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #chunks: Buffer[] = []
  #wake: (() => void) | undefined
  #end: Error | undefined

  constructor(gitDir: string) {
    this.#child = spawn('git', [`--git-dir=${gitDir}`, 'cat-file', '--batch'], { env })
    this.#child.stdout.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk)
      this.#wake?.()
    })
    const onEnd = (error?: Error) => {
      this.#end ??= error ?? new GitFault('git cat-file ended')
      this.#wake?.()
    }
    this.#child.on('error', onEnd)
    this.#child.on('close', () => onEnd())
    this.#child.stdin.on('error', onEnd)
    this.#child.stderr.resume()
  }

  /** Contents in the order of the ids; nothing for an object that is missing. One call at a time. */
  async read(oids: readonly string[]): Promise<(Buffer | undefined)[]> {
    this.#child.stdin.write(`${oids.join('\n')}\n`)
    const blobs: (Buffer | undefined)[] = []
    for (const asked of oids) {
      const header = (await this.#line()).toString('latin1')
      const [oid = '', type = '', size = ''] = header.split(' ')
      if (oid !== asked) throw damaged()
      const content = size === '' ? undefined : await this.#take(Number(size) + 1)
      // Git sends what it finds, whatever it has promised: the rest would be read as other blobs.
      if (content && content.at(-1) !== newline) throw damaged()
      blobs.push(type === 'blob' ? content?.subarray(0, -1) : undefined)
    }
    return blobs
  }

  close(): void {
    this.#child.kill('SIGKILL')
  }

  async #line(): Promise<Buffer> {
    for (;;) {
      const whole = this.#chunks.length > 1 ? Buffer.concat(this.#chunks.splice(0)) : this.#chunks.shift()
      const end = whole?.indexOf(10) ?? -1
      if (whole && end >= 0) {
        this.#chunks.unshift(whole.subarray(end + 1))
        return whole.subarray(0, end)
      }
      if (whole) this.#chunks.unshift(whole)
      await this.#more()
    }
  }

  async #take(size: number): Promise<Buffer> {
    const taken: Buffer[] = []
    let left = size
    while (left > 0) {
      const chunk = this.#chunks.shift()
      if (!chunk) {
        await this.#more()
        continue
      }
      taken.push(chunk.subarray(0, left))
      if (chunk.length > left) this.#chunks.unshift(chunk.subarray(left))
      left -= Math.min(left, chunk.length)
    }
    return Buffer.concat(taken)
  }

  async #more(): Promise<void> {
    if (this.#end) throw this.#end
    const waited = setTimeout(() => {
      this.#end ??= damaged()
      this.#wake?.()
    }, longestWaitMs)
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    clearTimeout(waited)
    this.#wake = undefined
    if (this.#end && this.#chunks.length === 0) throw this.#end
  }
}
