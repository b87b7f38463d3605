import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The copy of one repository. Another address has another generation, and so another place. */
export interface CloneId {
  readonly brand_id: number
  readonly project_id: string
  readonly generation: number
}

/** Where copies of repositories lie: names are made of ids alone. */
export class ClonePlaces {
  readonly #root: string

  constructor(root: string) {
    this.#root = root
  }

  /** Compiled sources of the process that indexes; nothing of a repository. */
  get compiled_dir(): string {
    return join(this.#root, 'compiled')
  }

  dirOf({ brand_id, project_id, generation }: CloneId): string {
    return join(this.#root, String(brand_id), `${project_id}.${generation}`)
  }

  /** All that is kept for a workspace. */
  async bytesOfBrand(brand_id: number): Promise<number> {
    return bytesBelow(join(this.#root, String(brand_id)))
  }

  bytesOf(id: CloneId): Promise<number> {
    return bytesBelow(this.dirOf(id))
  }

  /** What git has left behind that was cut off: half a pack, and locks that would stop every later fetch. */
  async clearLeftovers(id: CloneId): Promise<void> {
    const dir = this.dirOf(id)
    const packs = join(dir, 'objects', 'pack')
    await removeFrom(packs, (name) => name.startsWith('tmp_') || name.endsWith('.keep'))
    for (const below of ['', 'refs', 'refs/crewhall', 'objects/info'])
      await removeFrom(join(dir, below), (name) => name.endsWith('.lock'))
  }

  /** Secrets of a process that was killed. Those of one that lives are younger than any run. */
  async clearSecrets(id: CloneId, now: Date): Promise<void> {
    const dir = this.dirOf(id)
    for (const name of await readdir(dir).catch(() => [])) {
      if (!name.startsWith('secret-')) continue
      const { mtimeMs } = await stat(join(dir, name)).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
      if (mtimeMs < now.getTime() - secretMs) await rm(join(dir, name), { recursive: true, force: true })
    }
  }

  async drop(id: CloneId): Promise<void> {
    await rm(this.dirOf(id), { recursive: true, force: true })
  }

  async dropBrand(brand_id: number): Promise<void> {
    await rm(join(this.#root, String(brand_id)), { recursive: true, force: true })
  }

  /** Every copy that lies here; of what else lies here nothing is known. */
  async *list(): AsyncGenerator<CloneId> {
    for (const brand of await readdir(this.#root).catch(() => [])) {
      if (!/^[1-9]\d{0,9}$/.test(brand)) continue
      for (const name of await readdir(join(this.#root, brand)).catch(() => [])) {
        const match = /^([0-9a-f-]{36})\.(\d{1,9})$/.exec(name)
        if (match?.[1] && match[2])
          yield { brand_id: Number(brand), project_id: match[1], generation: Number(match[2]) }
      }
    }
  }

  /** Files that only we can read, for as long as the work takes. */
  async withFiles<T>(
    id: CloneId,
    texts: Readonly<Record<string, string>>,
    work: (paths: Readonly<Record<string, string>>) => Promise<T>,
  ): Promise<T> {
    const dir = join(this.dirOf(id), `secret-${randomUUID()}`)
    await mkdir(dir, { recursive: true, mode: 0o700 })
    try {
      const paths = Object.keys(texts).map((name) => [name, join(dir, name)] as const)
      for (const [name, path] of paths) await writeFile(path, texts[name] ?? '', { mode: 0o600 })
      return await work(Object.fromEntries(paths))
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  }
}

/** A run has an hour. */
const secretMs = 3_600_000

async function removeFrom(dir: string, isLeft: (name: string) => boolean): Promise<void> {
  for (const name of await readdir(dir).catch(() => []))
    if (isLeft(name)) await rm(join(dir, name), { force: true })
}

async function bytesBelow(dir: string): Promise<number> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => [])
  let sum = 0
  for (const entry of entries) {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) sum += await bytesBelow(path)
    else
      sum += await stat(path).then(
        ({ size }) => size,
        () => 0,
      )
  }
  return sum
}
