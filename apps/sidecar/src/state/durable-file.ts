import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export interface Owner {
  readonly uid: number
  readonly gid: number
}

/**
 * Replaces a file as a whole: whoever reads it sees the old or the new content, after a crash as well. Only the owner can
 * read it, which is this process unless it says otherwise.
 */
export async function replaceFile(path: string, content: string, owner?: Owner): Promise<void> {
  const folder = dirname(path)
  const beside = join(folder, `.${randomUUID()}.new`)
  try {
    const file = await open(beside, 'wx', 0o600)
    try {
      await file.writeFile(content)
      if (owner && (await file.stat()).uid !== owner.uid) await file.chown(owner.uid, owner.gid)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(beside, path)
  } catch (error) {
    await unlink(beside).catch(() => undefined)
    throw error
  }
  await syncFolder(folder)
}

/** Made if it is missing; only the owner may enter it. */
export async function openFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
}

/** Undefined if there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export async function removeIfThere(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** A name in a folder is on the disk only when the folder is. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
