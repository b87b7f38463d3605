import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, opendir, rename, rmdir, unlink } from 'node:fs/promises'
import type { Outside } from '#platform/ctx/outside.ts'
import { Folder, isCode, unless } from '#platform/shared-files/folder.ts'
import type { Place } from '#platform/shared-files/shared-files.ts'
import { Untouched, type UntouchedReason, untouchedOf } from '#platform/shared-files/untouched.ts'

/** What a directory has in it when it appears. */
export interface DirectoryContent {
  readonly files: readonly { readonly name: string; readonly content: string }[]
  /** Paths of empty folders, by their names from the top. */
  readonly folders: readonly (readonly string[])[]
}

export interface Making {
  /** Higher than that of every earlier try: what those have left half-written is removed. */
  readonly fence: number
  /** For tests that crash here. */
  step(step: 'written' | 'renamed'): Promise<void>
}

/** Whole directories below a root that others write to as well. All of this bears repetition. */
export interface Directories {
  /**
   * It appears whole or not at all. One that is there already is left as it is: it came from an earlier try, and its owner
   * may have worked in it since. A reason says why there is none, such as `busy`: somebody with a higher fence was here.
   */
  make(
    outside: Outside,
    place: Place,
    content: DirectoryContent,
    making: Making,
  ): Promise<'made' | 'there' | { readonly reason: UntouchedReason }>
  /**
   * Out of sight in one step and deleted afterwards, with what tries have left. False: there is more, so call again.
   * Throws `Untouched`.
   */
  remove(outside: Outside, place: Place): Promise<boolean>
}

/** Deleted by one call, so that no job hangs on a folder without end. */
const mostNames = 5000

export const directoriesOn = (root: string, most = mostNames): Directories => ({
  async make(_, place, content, making) {
    try {
      const parent = await Folder.open(root, place.folders, true)
      if (!parent) return { reason: 'no_directory' }
      try {
        return await makeIn(parent, place.name, content, { ...making, most })
      } finally {
        await parent.close()
      }
    } catch (error) {
      return { reason: untouchedOf(error).reason }
    }
  },
  async remove(_, place) {
    try {
      const parent = await Folder.open(root, place.folders, false).catch(noneWhenLinked)
      try {
        return parent ? await removeIn(parent, place.name, new Budget(most)) : true
      } finally {
        await parent?.close()
      }
    } catch (error) {
      throw untouchedOf(error)
    }
  },
})

/** A link or a file where a folder should be: nothing of ours is behind it. */
const noneWhenLinked = (error: unknown): undefined => {
  if (!(error instanceof Untouched)) throw error
}

async function makeIn(
  parent: Folder,
  name: string,
  content: DirectoryContent,
  { fence, step, most }: Making & { readonly most: number },
): Promise<'made' | 'there'> {
  const left = await listTries(parent, name)
  if (left.some((each) => each.fence > fence)) throw new Untouched('busy')
  for (const each of left) await clear(parent, each.name, new Budget(most))
  if (await isFolder(parent, name)) return 'there'
  const temporary = tryOf(name, fence)
  await write(parent, temporary, content)
  await step('written')
  const isFirst = await putInPlace(parent, temporary, name)
  if (!isFirst) await clear(parent, temporary, new Budget(most))
  await parent.handle.sync()
  await step('renamed')
  return isFirst ? 'made' : 'there'
}

async function removeIn(parent: Folder, name: string, budget: Budget): Promise<boolean> {
  const gone = `.${name}.gone`
  // What an earlier call has left makes room first.
  await clear(parent, gone, budget)
  if (budget.is_spent) return false
  await parent.rename(name, gone).catch(unless('ENOENT'))
  await parent.handle.sync()
  const tries = await listTries(parent, name)
  for (const each of [gone, ...tries.map((left) => left.name)]) await clear(parent, each, budget)
  return !budget.is_spent
}

const tryOf = (name: string, fence: number): string => `.${name}.${fence}.tmp`

/** What has been begun under this name and is not in its place. */
async function listTries(parent: Folder, name: string): Promise<{ name: string; fence: number }[]> {
  const found: { name: string; fence: number }[] = []
  for await (const { name: each } of await opendir(parent.at(''))) {
    const fence = Number(each.slice(name.length + 2, -'.tmp'.length))
    if (Number.isSafeInteger(fence) && each === tryOf(name, fence)) found.push({ name: each, fence })
  }
  return found
}

async function isFolder(parent: Folder, name: string): Promise<boolean> {
  const folder = await parent.enter(name)
  await folder?.close()
  return folder !== undefined
}

/** On the disk before anybody sees it. */
async function write(parent: Folder, name: string, { files, folders }: DirectoryContent): Promise<void> {
  await mkdir(parent.at(name))
  const folder = await entered(parent, name)
  try {
    for (const { name: file, content } of files) {
      const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW
      const handle = await open(folder.at(file), flags, 0o666)
      try {
        await handle.writeFile(content)
        await handle.sync()
      } finally {
        await handle.close()
      }
    }
    for (const names of folders) await makeFolders(folder, names)
    await folder.handle.sync()
  } finally {
    await folder.close()
  }
}

async function makeFolders(above: Folder, [name, ...below]: readonly string[]): Promise<void> {
  if (name === undefined) return
  await mkdir(above.at(name)).catch(unless('EEXIST'))
  const folder = await entered(above, name)
  try {
    await makeFolders(folder, below)
    await folder.handle.sync()
  } finally {
    await folder.close()
  }
}

async function entered(above: Folder, name: string): Promise<Folder> {
  const folder = await above.enter(name)
  // Somebody with a higher fence has tidied up.
  if (!folder) throw new Untouched('busy')
  return folder
}

/** False if another one was first. A directory takes no other place than that of nothing or of an empty one. */
async function putInPlace(parent: Folder, temporary: string, name: string): Promise<boolean> {
  try {
    await parent.rename(temporary, name)
    return true
  } catch (error) {
    if (isCode(error, 'ENOTEMPTY', 'EEXIST')) return false
    if (isCode(error, 'ENOENT')) throw new Untouched('busy', { cause: error })
    throw isCode(error, 'ENOTDIR') ? new Untouched('link', { cause: error }) : error
  }
}

/** How many names may still be deleted. */
class Budget {
  #left: number

  constructor(left: number) {
    this.#left = left
  }

  get is_spent(): boolean {
    return this.#left <= 0
  }

  spend(): void {
    this.#left -= 1
  }
}

/** Whatever bears the name goes, and nothing that a link leads to. */
async function clear(parent: Folder, name: string, budget: Budget): Promise<void> {
  if (await isUnlinked(parent, Buffer.from(name))) return
  const folder = await parent.enter(name)
  if (!folder) return
  try {
    // Somebody may put a name into it between the last look and the removal; each pass counts, so this ends.
    do {
      await empty(folder, budget)
      if (budget.is_spent) return
      budget.spend()
    } while (!(await isRemoved(parent, name)))
  } finally {
    await folder.close()
  }
}

/** False if something is in it. */
async function isRemoved(parent: Folder, name: string): Promise<boolean> {
  try {
    await rmdir(parent.at(name))
    return true
  } catch (error) {
    if (isCode(error, 'ENOENT')) return true
    if (isCode(error, 'ENOTEMPTY', 'EEXIST')) return false
    throw error
  }
}

/**
 * Folders in folders are moved to the top and emptied there. However deep somebody has nested them, no more than two
 * are open at a time.
 */
async function empty(top: Folder, budget: Budget): Promise<void> {
  let isEmpty = false
  while (!isEmpty && !budget.is_spent) {
    isEmpty = true
    for await (const name of namesIn(top)) {
      isEmpty = false
      if (budget.is_spent) return
      budget.spend()
      if (!(await isUnlinked(top, name))) await flatten(top, name, budget)
    }
  }
}

async function flatten(top: Folder, name: Buffer, budget: Budget): Promise<void> {
  // A name that is no text is replaced by one that is, to be entered by it.
  const plain = word()
  await rename(pathOf(top, name), top.at(plain)).catch(unless('ENOENT'))
  const folder = await top.enter(plain)
  if (!folder) return
  try {
    for await (const each of namesIn(folder)) {
      if (budget.is_spent) return
      budget.spend()
      if (!(await isUnlinked(folder, each)))
        await rename(pathOf(folder, each), top.at(word())).catch(unless('ENOENT'))
    }
  } finally {
    await folder.close()
  }
  // Something that came meanwhile is found with the next pass.
  await isRemoved(top, plain)
}

/** False for a folder. */
async function isUnlinked(folder: Folder, name: Buffer): Promise<boolean> {
  try {
    await unlink(pathOf(folder, name))
    return true
  } catch (error) {
    if (isCode(error, 'ENOENT')) return true
    if (isCode(error, 'EISDIR')) return false
    throw error
  }
}

/** As bytes: not every name of a file is text. */
async function* namesIn(folder: Folder): AsyncGenerator<Buffer> {
  // The types know of texts alone.
  const names = await opendir(folder.at(''), { encoding: 'buffer' as BufferEncoding })
  for await (const { name } of names) yield name as unknown as Buffer
}

const pathOf = (folder: Folder, name: Buffer): Buffer => Buffer.concat([Buffer.from(folder.at('')), name])
const word = (): string => randomBytes(8).toString('hex')
