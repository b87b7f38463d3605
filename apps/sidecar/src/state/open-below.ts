import { constants } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import type { Owner } from './durable-file.ts'

interface OpenedFolder {
  /** Names this very folder, whatever becomes of its path meanwhile. */
  readonly path: string
  /** Who owns it. */
  readonly owner: Owner
  close(): Promise<void>
}

/**
 * A folder below a place that people of this machine write to as well. Each part is made if it is missing, and must be a
 * folder itself: whoever puts a link there would have us write somewhere else.
 */
export async function openBelow(root: string, ...names: readonly string[]): Promise<OpenedFolder> {
  await mkdir(root, { recursive: true, mode: 0o755 })
  let folder = await open(root, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    for (const name of names) {
      const next = await openFolderIn(folder, name)
      await folder.close()
      folder = next
    }
    const { uid, gid } = await folder.stat()
    const opened = folder
    return { path: pathOf(opened), owner: { uid, gid }, close: () => opened.close() }
  } catch (error) {
    await folder.close()
    throw error
  }
}

async function openFolderIn(folder: FileHandle, name: string): Promise<FileHandle> {
  const path = `${pathOf(folder)}/${name}`
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
  try {
    return await open(path, flags)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ELOOP' || code === 'ENOTDIR') throw new Error(`${name} is a link or a file`)
    if (code !== 'ENOENT') throw error
  }
  const { uid, gid } = await folder.stat()
  await mkdir(path, { mode: 0o700 })
  const made = await open(path, flags)
  try {
    // Below a folder that was given to somebody, all is theirs.
    if ((await made.stat()).uid !== uid) await made.chown(uid, gid)
    return made
  } catch (error) {
    await made.close()
    throw error
  }
}

const pathOf = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`
