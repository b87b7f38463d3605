import { constants, type Dirent } from 'node:fs'
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

export interface SessionFile {
  /** Below the directory; it names the conversation. */
  readonly path: string
  readonly inode: number
  readonly size: number
}

const deepest = 8
const mostFiles = 5000
const longestPath = 500

/** Files of sessions below a directory, in the order of their paths. Links are not followed, wherever they point. */
export async function listSessions(directory: string, below = '', depth = 1): Promise<SessionFile[]> {
  const entries = await readdir(join(directory, below), { withFileTypes: true })
  const found: SessionFile[] = []
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(below, entry.name)
    if (entry.isDirectory() && depth < deepest)
      found.push(...(await listSessions(directory, path, depth + 1)))
    else if (isSession(entry, path)) found.push(await measure(directory, path))
    if (found.length >= mostFiles) return found.slice(0, mostFiles)
  }
  return found
}

const isSession = (entry: Dirent, path: string): boolean =>
  entry.isFile() && path.endsWith('.jsonl') && path.length <= longestPath

async function measure(directory: string, path: string): Promise<SessionFile> {
  const { ino, size } = await lstat(join(directory, path))
  return { path, inode: ino, size }
}

export interface Portion {
  readonly text: string
  /** Where the next one begins. */
  readonly end: number
}

/** In JSON a text may take twice its size, and a body ends at a megabyte. */
const portionBytes = 400_000
const longestLine = 480_000

/**
 * Whole lines from an offset on. Undefined while there is none, because a program is still writing it. A line that is too
 * long for one call is left out: its portion is empty.
 */
export async function readPortion(
  directory: string,
  file: SessionFile,
  offset: number,
): Promise<Portion | undefined> {
  const handle = await open(join(directory, file.path), constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const bytes = await readBytes(handle, offset, longestLine)
    // As many lines as fit, or one that is longer.
    const fitting = bytes.lastIndexOf('\n', portionBytes)
    const end = fitting < 0 ? bytes.indexOf('\n') : fitting
    if (end >= 0) return { text: bytes.toString('utf8', 0, end + 1), end: offset + end + 1 }
    return bytes.length < longestLine ? undefined : await afterLongLine(handle, offset + bytes.length)
  } finally {
    await handle.close()
  }
}

async function afterLongLine(handle: FileHandle, from: number): Promise<Portion | undefined> {
  for (let offset = from; ; ) {
    const bytes = await readBytes(handle, offset, longestLine)
    const end = bytes.indexOf('\n')
    if (end >= 0) return { text: '', end: offset + end + 1 }
    if (bytes.length === 0) return undefined
    offset += bytes.length
  }
}

async function readBytes(handle: FileHandle, offset: number, most: number): Promise<Buffer> {
  const buffer = Buffer.alloc(most)
  let filled = 0
  while (filled < most) {
    const { bytesRead } = await handle.read(buffer, filled, most - filled, offset + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}
