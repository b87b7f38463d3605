import { constants, lstatSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, unlink } from 'node:fs/promises'
import { Untouched } from '#platform/shared-files/untouched.ts'

/** Larger files are none that people and agents keep notes in. */
export const mostFileBytes = 1_048_576

export interface FileState {
  readonly bytes: Buffer
  readonly mode: number
  readonly uid: number
  readonly gid: number
  /** Another one after every change of the file, or if it is another file. */
  readonly mark: string
  /** Whether nobody had it open for writing when it was read. */
  readonly is_settled: boolean
}
/** Waits until nobody writes the file, as long as it is worth it. */
export type Settle = (handle: FileHandle) => Promise<boolean>

/**
 * An open directory. Its files are reached through its descriptor, so nobody can put another directory or a link in its
 * place meanwhile; and no file is ever opened through a link.
 */
export class Folder {
  readonly handle: FileHandle

  private constructor(handle: FileHandle) {
    this.handle = handle
  }

  get fd(): number {
    return this.handle.fd
  }

  at(name: string): string {
    return `/proc/self/fd/${this.fd}/${name}`
  }

  /** Undefined if a folder is missing and not to be made. */
  static async open(root: string, names: readonly string[], isMade: boolean): Promise<Folder | undefined> {
    let folder = new Folder(await open(root, constants.O_RDONLY | constants.O_DIRECTORY))
    for (const name of names) {
      const above = folder
      try {
        if (isMade) await above.#make(name)
        const next = await above.enter(name)
        if (!next) return undefined
        folder = next
      } finally {
        await above.close()
      }
    }
    return folder
  }

  /** A new one is on the disk before anything is put into it. */
  async #make(name: string): Promise<void> {
    const isNew = await mkdir(this.at(name)).then(() => true, unless('EEXIST'))
    if (isNew) await this.handle.sync()
  }

  /** Undefined if there is none. */
  async enter(name: string): Promise<Folder | undefined> {
    try {
      const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
      return new Folder(await open(this.at(name), flags))
    } catch (error) {
      if (isCode(error, 'ENOENT')) return undefined
      throw isCode(error, 'ELOOP', 'ENOTDIR') ? new Untouched('link', { cause: error }) : error
    }
  }

  close(): Promise<void> {
    return this.handle.close()
  }

  names(): Promise<string[]> {
    return readdir(this.at(''))
  }

  rename(from: string, to: string): Promise<void> {
    return rename(this.at(from), this.at(to))
  }

  /** Also if there is none. */
  async remove(name: string): Promise<void> {
    await unlink(this.at(name)).catch(unless('ENOENT'))
  }

  /** What bears the name is on the disk, if it is still there. */
  async flush(name: string): Promise<void> {
    const handle = await this.openFile(name)
    try {
      await handle?.sync()
    } finally {
      await handle?.close()
    }
  }

  /** Of what bears the name now; null if there is nothing. At once, for those who act on it. */
  markOf(name: string): string | null {
    const stat = lstatSync(this.at(name), { bigint: true, throwIfNoEntry: false })
    return stat ? markOf(stat) : null
  }

  /** Undefined if there is none. */
  async read(name: string, settle: Settle): Promise<FileState | undefined> {
    const handle = await this.openFile(name)
    if (!handle) return undefined
    try {
      const is_settled = await settle(handle)
      const stat = await handle.stat({ bigint: true })
      if (!stat.isFile()) throw new Untouched('not_a_file')
      if (stat.nlink > 1n) throw new Untouched('hard_linked')
      if (stat.size > mostFileBytes) throw new Untouched('too_large')
      const bytes = await readAll(handle)
      const { mode, uid, gid } = stat
      // Never more than the permissions: whoever may write the file must not be given a program of somebody else.
      const kept = { mode: Number(mode) & 0o777, uid: Number(uid), gid: Number(gid) }
      return { bytes, ...kept, mark: markOf(stat), is_settled }
    } finally {
      await handle.close()
    }
  }

  /** Undefined if there is none. What was opened may still be anything but a link. */
  async openFile(name: string): Promise<FileHandle | undefined> {
    try {
      // A pipe must not hold us up.
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
      return await open(this.at(name), flags)
    } catch (error) {
      if (isCode(error, 'ENOENT')) return undefined
      if (isCode(error, 'ELOOP')) throw new Untouched('link', { cause: error })
      if (isCode(error, 'ENXIO', 'ENODEV')) throw new Untouched('not_a_file', { cause: error })
      throw error
    }
  }
}

interface Marked {
  readonly dev: bigint
  readonly ino: bigint
  readonly size: bigint
  readonly mtimeNs: bigint
}
export const markOf = ({ dev, ino, size, mtimeNs }: Marked): string => [dev, ino, size, mtimeNs].join(':')

async function readAll(handle: FileHandle): Promise<Buffer> {
  const pieces: Buffer[] = []
  let at = 0
  while (at <= mostFileBytes) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(65_536), 0, 65_536, at)
    if (bytesRead === 0) return Buffer.concat(pieces)
    pieces.push(buffer.subarray(0, bytesRead))
    at += bytesRead
  }
  throw new Untouched('too_large')
}

export const isCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))

/** For `catch`: what is as good as done. */
export const unless =
  (...codes: readonly string[]) =>
  (error: unknown): undefined => {
    if (!isCode(error, ...codes)) throw error
  }
