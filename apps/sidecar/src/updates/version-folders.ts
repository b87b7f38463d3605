import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, readlink, rename, rm, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { syncFolder } from '../state/durable-file.ts'

const fileName = 'sidecar.mjs'

/** Names a version and its bytes. */
export const folderOf = (version: string, sha256: string): string => `${version}-${sha256.slice(0, 12)}`

/**
 * `versions/<version>-<digest>/sidecar.mjs` for each version that is kept, and a link `current` to the folder of the one
 * that runs. The link is replaced as a whole: there is one at any moment, after a crash as well.
 */
export class VersionFolders {
  readonly #directory: string
  readonly #versions: string

  constructor(directory: string) {
    this.#directory = directory
    this.#versions = join(directory, 'versions')
  }

  fileIn(folder: string): string {
    return join(this.#versions, folder, fileName)
  }

  /** Undefined before the first. */
  async current(): Promise<string | undefined> {
    try {
      return basename(await readlink(join(this.#directory, 'current')))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  async flipTo(folder: string): Promise<void> {
    const beside = join(this.#directory, `.${randomUUID()}.new`)
    await symlink(join('versions', folder), beside)
    await rename(beside, join(this.#directory, 'current'))
    await syncFolder(this.#directory)
  }

  /** The bytes are on the disk, or the folder is not there. */
  async add(folder: string, bytes: Uint8Array): Promise<void> {
    await mkdir(this.#versions, { recursive: true, mode: 0o700 })
    const beside = join(this.#versions, `.${randomUUID()}.new`)
    await mkdir(beside, { mode: 0o700 })
    const file = await open(join(beside, fileName), 'wx', 0o600)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await syncFolder(beside)
    await rm(join(this.#versions, folder), { recursive: true, force: true })
    await rename(beside, join(this.#versions, folder))
    await syncFolder(this.#versions)
  }

  /** SHA-256 of what is on the disk now; undefined if there is nothing. */
  async digestOf(folder: string): Promise<string | undefined> {
    try {
      return sha256Of(await readFile(this.fileIn(folder)))
    } catch {
      return undefined
    }
  }

  /** Also removes what a crash has left unfinished. */
  async keepOnly(kept: readonly string[]): Promise<void> {
    for (const name of await readdir(this.#versions))
      if (!kept.includes(name)) await rm(join(this.#versions, name), { recursive: true, force: true })
  }
}

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
