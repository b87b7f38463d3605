import type { BigIntStats } from 'node:fs'
import { type FileHandle, lstat, opendir } from 'node:fs/promises'
import type { Outside } from '#platform/ctx/outside.ts'
import { Folder, isCode } from '#platform/shared-files/folder.ts'
import { Untouched } from '#platform/shared-files/untouched.ts'

/** Why a folder cannot be read at all. */
export type ClosedReason = 'no_root' | 'missing' | 'link' | 'owner' | 'not_readable' | 'io_error'

/** Why something in a folder is left out. */
export type SkipReason =
  | 'link'
  | 'hard_linked'
  | 'not_a_file'
  | 'owner'
  | 'too_large'
  | 'too_deep'
  | 'too_many'
  | 'name'
  | 'not_readable'
  | 'io_error'

export interface TreeLimits {
  readonly depth: number
  /** In one folder. */
  readonly entries: number
  readonly file_bytes: number
}

/** What an open file was when it was opened. */
export interface FileFacts {
  readonly size: number
  /** Another one after every change of the file, or if it is another file. */
  readonly seen: string
}

export interface OpenFile extends FileFacts {
  /** Fewer bytes at the end of the file. */
  read(from: number, length: number): Promise<Buffer>
  close(): Promise<void>
}

export type TreeEntry = { readonly path: string } & (
  | { readonly reason: SkipReason }
  | (FileFacts & {
      /** While the iteration stands here. Undefined if it has gone meanwhile. */
      open(): Promise<OpenFile | SkipReason | undefined>
    })
)

export interface OpenTree {
  /** What lies behind the given path, in a fixed order, in batches of one folder. */
  entries(after: string): AsyncIterable<readonly TreeEntry[]>
  close(): Promise<void>
}

/** Reads files that others put below a directory, and trusts none of them. */
export interface FileTree {
  /** The first name is that of the owner's folder: what lies in it belongs to whom it belongs to, or to this process. */
  open(outside: Outside, names: readonly string[], limits: TreeLimits): Promise<OpenTree | ClosedReason>
}

/**
 * Every folder is opened from the one above it by its descriptor, and never through a link, so whoever swaps a folder for
 * a link or another folder while we look changes nothing but what is skipped.
 */
export const fileTreeOn = (root: string): FileTree => ({
  async open(_, [owner = '', ...names], limits) {
    try {
      const top = await Folder.open(root, [owner], false)
      if (!top) return 'missing'
      const uids = new Set([(await top.handle.stat()).uid, process.getuid?.() ?? 0])
      const folder = await descend(top, names, uids)
      if (typeof folder === 'string') return folder
      return {
        entries: (after) =>
          entriesOf(folder, { limits, uids }, { above: '', depth: 1, after: after.split('/') }),
        close: () => folder.close(),
      }
    } catch (error) {
      return isCode(error, 'ENOENT') ? 'no_root' : closedOf(error)
    }
  },
})

async function descend(
  top: Folder,
  names: readonly string[],
  uids: ReadonlySet<number>,
): Promise<Folder | ClosedReason> {
  let folder = top
  for (const name of names) {
    const above = folder
    try {
      const next = await enter(above, name, uids)
      if (next === undefined) return 'missing'
      if (typeof next === 'string') return next
      folder = next
    } finally {
      await above.close()
    }
  }
  return folder
}

async function enter(
  above: Folder,
  name: string,
  uids: ReadonlySet<number>,
): Promise<Folder | 'link' | 'owner' | 'not_readable' | 'io_error' | undefined> {
  let folder: Folder | undefined
  try {
    folder = await above.enter(name)
    if (!folder || uids.has((await folder.handle.stat()).uid)) return folder
    await folder.close()
    return 'owner'
  } catch (error) {
    await folder?.close()
    return closedOf(error)
  }
}

interface Rules {
  readonly limits: TreeLimits
  readonly uids: ReadonlySet<number>
}
interface Where {
  readonly above: string
  readonly depth: number
  /** Names of the path behind which to go on; empty in folders behind it. */
  readonly after: readonly string[]
}
/** Looked at together. */
const mostInBatch = 200

async function* entriesOf(folder: Folder, rules: Rules, where: Where): AsyncGenerator<readonly TreeEntry[]> {
  const { above, depth, after } = where
  const [first = '', ...rest] = after
  const names = await namesOf(folder, rules.limits.entries)
  if (names.length > rules.limits.entries) yield [{ path: above, reason: 'too_many' }]
  const wanted = names
    .slice(0, rules.limits.entries)
    .filter((name) => name > first || (name === first && rest.length > 0))
    .toSorted()
  for (let at = 0; at < wanted.length; at += mostInBatch) {
    const looked = wanted.slice(at, at + mostInBatch).map(async (name) => {
      return { name, entry: await entryOf(folder, rules, { name, path: above + name }) }
    })
    let batch: TreeEntry[] = []
    for (const { name, entry } of await Promise.all(looked)) {
      if (entry !== 'folder') {
        if (entry) batch.push(entry)
        continue
      }
      if (batch.length > 0) yield batch
      batch = []
      const below = { above: `${above}${name}/`, depth: depth + 1, after: name === first ? rest : [] }
      if (below.depth > rules.limits.depth) batch.push({ path: above + name, reason: 'too_deep' })
      else yield* entriesIn(folder, name, rules, below)
    }
    if (batch.length > 0) yield batch
  }
}

async function* entriesIn(
  above: Folder,
  name: string,
  rules: Rules,
  where: Where,
): AsyncGenerator<readonly TreeEntry[]> {
  const folder = await enter(above, name, rules.uids)
  if (typeof folder === 'string') yield [{ path: where.above.slice(0, -1), reason: folder }]
  if (!folder || typeof folder === 'string') return
  try {
    yield* entriesOf(folder, rules, where)
  } finally {
    await folder.close()
  }
}

/** One more than the limit tells that there are too many. */
async function namesOf(folder: Folder, limit: number): Promise<string[]> {
  const names: string[] = []
  for await (const { name } of await opendir(folder.at(''), { bufferSize: 256 })) {
    names.push(name)
    if (names.length > limit) break
  }
  return names
}

/** Looks before it opens: opening a device may do something. What was opened is looked at again. */
async function entryOf(
  folder: Folder,
  rules: Rules,
  { name, path }: { readonly name: string; readonly path: string },
): Promise<TreeEntry | 'folder' | undefined> {
  // Names that are no text cannot be opened by what they were turned into.
  if (name.includes('\uFFFD')) return { path, reason: 'name' }
  try {
    const stat = await lstat(folder.at(name), { bigint: true })
    if (stat.isDirectory()) return 'folder'
    const reason = stat.isSymbolicLink() ? 'link' : reasonOf(stat, rules)
    if (reason) return { path, reason }
    return { path, ...factsOf(stat), open: () => openFile(folder, name, rules) }
  } catch (error) {
    return isCode(error, 'ENOENT') ? undefined : { path, reason: skippedOf(error) }
  }
}

function reasonOf(stat: BigIntStats, { limits, uids }: Rules): SkipReason | undefined {
  if (!stat.isFile()) return 'not_a_file'
  // The other name may be that of somebody else's file.
  if (stat.nlink > 1n) return 'hard_linked'
  if (!uids.has(Number(stat.uid))) return 'owner'
  return stat.size > limits.file_bytes ? 'too_large' : undefined
}

const factsOf = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): FileFacts => ({
  size: Number(size),
  seen: [ino, size, mtimeNs, ctimeNs].join(':'),
})

async function openFile(
  folder: Folder,
  name: string,
  rules: Rules,
): Promise<OpenFile | SkipReason | undefined> {
  let handle: FileHandle | undefined
  try {
    handle = await folder.openFile(name)
    if (!handle) return undefined
    const stat = await handle.stat({ bigint: true })
    const reason = reasonOf(stat, rules)
    if (reason === undefined) return readable(handle, factsOf(stat))
    await handle.close()
    return reason
  } catch (error) {
    await handle?.close()
    return skippedOf(error)
  }
}

const readable = (handle: FileHandle, facts: FileFacts): OpenFile => ({
  ...facts,
  close: () => handle.close(),
  async read(from, length) {
    const buffer = Buffer.alloc(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await handle.read(buffer, filled, length - filled, from + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return buffer.subarray(0, filled)
  },
})

function closedOf(error: unknown): 'link' | 'not_readable' | 'io_error' {
  if (error instanceof Untouched) return 'link'
  if (isCode(error, 'EACCES', 'EPERM')) return 'not_readable'
  if (error instanceof Error && 'syscall' in error) return 'io_error'
  throw error
}
const skippedOf = (error: unknown): SkipReason =>
  error instanceof Untouched ? (error.reason === 'link' ? 'link' : 'not_a_file') : closedOf(error)
