import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, link, open, readdir, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { lockDirectory } from '../state/instance-lock.ts'

/** What is to stand in the file, or why it has to stay as it is. */
export type Next = { readonly bytes: Buffer } | { readonly reason: string }
export type Outcome =
  | { readonly state: 'written' | 'same' }
  | { readonly state: 'untouched'; readonly reason: string }

const mostBytes = 1024 * 1024

interface Before {
  readonly bytes: Buffer
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

/**
 * Replaces a file that people and tools write as well. Whoever reads it sees the old or the new content. What stood there
 * stays under another name until it was compared with what had been read: if somebody was faster, it comes back, and the
 * next pass goes on from there.
 */
export async function rewriteShared(
  path: string,
  next: (bytes: Buffer | undefined) => Promise<Next>,
): Promise<Outcome> {
  const [folder, prefix] = [dirname(path), `.${basename(path)}.crewhall-`]
  const lock = lockDirectory(folder)
  if (typeof lock === 'string') return { state: 'untouched', reason: lock }
  try {
    await tidy(folder, prefix)
    const before = await read(path)
    if (typeof before === 'string') return { state: 'untouched', reason: before }
    const wanted = await next(before?.bytes)
    if ('reason' in wanted) return { state: 'untouched', reason: wanted.reason }
    if ((before?.bytes ?? Buffer.alloc(0)).equals(wanted.bytes)) return { state: 'same' }
    const beside = join(folder, `${prefix}new-${randomBytes(4).toString('hex')}`)
    await write(beside, wanted.bytes, before)
    const isDone = await (before ? replace(path, beside, before) : create(path, beside))
    lock.sync()
    return isDone ? { state: 'written' } : { state: 'untouched', reason: 'busy' }
  } finally {
    lock.release()
  }
}

/** What a process that was killed has left. A second name would make the file look like one that others share. */
async function tidy(folder: string, prefix: string): Promise<void> {
  for (const name of await readdir(folder)) if (name.startsWith(prefix)) await unlink(join(folder, name))
}

async function read(path: string): Promise<Before | string | undefined> {
  let file: FileHandle
  try {
    // A pipe would be waited for.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === 'ELOOP') return 'link'
    throw error
  }
  try {
    const facts = await file.stat()
    if (!facts.isFile()) return 'not_a_file'
    if (facts.nlink > 1) return 'hard_linked'
    if (facts.size > mostBytes) return 'too_large'
    const { mode, uid, gid } = facts
    return { bytes: await file.readFile(), mode: mode & 0o7777, uid, gid }
  } finally {
    await file.close()
  }
}

async function write(path: string, bytes: Buffer, before: Before | undefined): Promise<void> {
  const file = await open(path, 'wx', before ? 0o600 : 0o644)
  try {
    await file.writeFile(bytes)
    if (before) {
      const { uid, gid } = await file.stat()
      if (uid !== before.uid || gid !== before.gid) await file.chown(before.uid, before.gid)
      await file.chmod(before.mode)
    }
    await file.sync()
  } finally {
    await file.close()
  }
}

async function create(path: string, beside: string): Promise<boolean> {
  try {
    await link(beside, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await unlink(beside)
  }
}

async function replace(path: string, beside: string, before: Before): Promise<boolean> {
  const old = `${beside}-old`
  await link(path, old)
  await rename(beside, path)
  const left = await open(old, constants.O_RDONLY | constants.O_NOFOLLOW)
  const isSame = (await left.readFile()).equals(before.bytes)
  await left.close()
  if (isSame) await unlink(old)
  else await rename(old, path)
  return isSame
}
