import { rmdir } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import type { Outside } from '#platform/ctx/outside.ts'
import { Folder, isCode } from '#platform/shared-files/folder.ts'
import { type Libc, loadLibc } from '#platform/shared-files/libc.ts'
import { type Outcome, Rewriter, type Rewriting } from '#platform/shared-files/rewriter.ts'
import { Untouched, untouchedOf } from '#platform/shared-files/untouched.ts'

/** Names are ids, never what somebody has typed. */
export interface Place {
  readonly folders: readonly string[]
  readonly name: string
}

/** Files below one directory, which programs of others read and write as well. */
export interface SharedFiles {
  readonly is_on: boolean
  /** Whether a program that replaces a file at the same moment is never overwritten. */
  readonly is_exact: boolean
  /** Another one after each change of the file; null if there is none. */
  markOf(outside: Outside, place: Place): Promise<string | null>
  /** Never throws because of the file or the disk: the outcome says why it was left. */
  rewrite(outside: Outside, place: Place, rewriting: Rewriting): Promise<Outcome>
  /**
   * Deletes the file of this name in each folder of a folder, and those that are empty then. Looks at `limit` of them after
   * the given one, and returns the last; undefined when done.
   */
  erase(
    outside: Outside,
    folder: string,
    options: { name: string; after: string; limit: number },
  ): Promise<string | undefined>
}

/** Workers must not work against each other. Whoever is frozen with it holds up nobody for long: it is not what makes it safe. */
const lockMs = 5000

export async function createSharedFiles(root: string | undefined): Promise<SharedFiles> {
  return root === undefined ? absent : sharedFilesOn(root, await loadLibc())
}

export function sharedFilesOn(root: string, libc: Libc | undefined): SharedFiles {
  return {
    is_on: true,
    is_exact: libc !== undefined,
    async markOf(_, { folders, name }) {
      try {
        const folder = await Folder.open(root, folders, false)
        try {
          return folder?.markOf(name) ?? null
        } finally {
          await folder?.close()
        }
      } catch (error) {
        // Whoever rewrites it is told why.
        untouchedOf(error)
        return null
      }
    },
    async rewrite(_, { folders, name }, rewriting) {
      try {
        const folder = await Folder.open(root, folders, true)
        if (!folder) throw new Error('a folder was made and is missing')
        try {
          await lock(folder, libc)
          return await new Rewriter(folder, name, rewriting, libc).rewrite()
        } finally {
          await folder.close()
        }
      } catch (error) {
        return { state: 'untouched', reason: untouchedOf(error).reason, mark: null }
      }
    },
    async erase(_, name, { name: file, after, limit }) {
      const parent = await Folder.open(root, [name], false).catch(noneWhenRefused)
      if (!parent) return undefined
      try {
        const names = (await parent.names()).filter((each) => each > after).toSorted()
        for (const each of names.slice(0, limit)) await eraseIn(root, [name, each], file)
        if (names.length > limit) return names[limit - 1]
      } finally {
        await parent.close()
      }
      await removeEmpty(root, name)
      return undefined
    },
  }
}

async function eraseIn(root: string, folders: readonly string[], file: string): Promise<void> {
  const folder = await Folder.open(root, folders, false).catch(noneWhenRefused)
  if (!folder) return
  try {
    const own = (await folder.names()).filter(
      (each) => each === file || each.startsWith(`.${file}.crewhall-`),
    )
    for (const each of own) await folder.remove(each)
  } finally {
    await folder.close()
  }
  const [parent = '', name = ''] = folders
  const above = await Folder.open(root, [parent], false)
  try {
    if (above) await rmdir(above.at(name)).catch(whatIsNotEmpty)
  } finally {
    await above?.close()
  }
}

async function removeEmpty(root: string, name: string): Promise<void> {
  const above = await Folder.open(root, [], false)
  try {
    if (above) await rmdir(above.at(name)).catch(whatIsNotEmpty)
  } finally {
    await above?.close()
  }
}

const whatIsNotEmpty = (error: unknown): void => {
  if (!isCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) throw error
}

/** A link or a file where a folder should be: nothing of ours is behind it. */
const noneWhenRefused = (error: unknown): undefined => {
  if (!(error instanceof Untouched)) throw error
}

async function lock(folder: Folder, libc: Libc | undefined): Promise<void> {
  const until = performance.now() + lockMs
  while (libc && libc.lock(folder.fd) !== 0 && performance.now() < until) await setTimeout(10)
}

const off = async (): Promise<never> => {
  throw new Error('no directory of shared files is configured')
}
const absent: SharedFiles = { is_on: false, is_exact: false, markOf: off, rewrite: off, erase: off }
