import { createHash, randomBytes } from 'node:crypto'
import { constants, linkSync, renameSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { type FileState, type Folder, isCode, markOf, type Settle } from '#platform/shared-files/folder.ts'
import { errno, type Libc } from '#platform/shared-files/libc.ts'
import { Untouched } from '#platform/shared-files/untouched.ts'

export type Next = { readonly bytes: Buffer } | { readonly reason: string }

/** What is to become of a file. All of it may be called several times, also after a crash for what happened before it. */
export interface Rewriting {
  /** What is to stand there instead of what stands there now; a reason leaves it. */
  next(bytes: Buffer | undefined): Promise<Next>
  /** Somebody changed `base` into `theirs` while we replaced it by what is now `current`. The base may be unknown. */
  merge(base: Buffer | undefined, theirs: Buffer, current: Buffer): Buffer
  /** What stood there before, before it goes for good. */
  replaced(bytes: Buffer): Promise<void>
  /** For tests that crash here. */
  step(step: 'written' | 'renamed'): Promise<void>
}

export interface Outcome {
  readonly state: 'written' | 'same' | 'untouched'
  readonly reason: string | null
  /** Of the file as it was left; another one as soon as somebody changes it. */
  readonly mark: string | null
}

const mostRounds = 30
/** Then the file is flushed after it has taken its place: a program that writes all the time is faster than a disk. */
const calmRounds = 2
/** Somebody who writes a file has finished by then, unless they keep it open. */
const settleMs = 2000
const readMs = 200
/** Where the system cannot tell whether somebody writes. */
const blindMs = 100

/**
 * Replaces a file that others write as well, without taking locks from them. The new file changes places with the old one
 * in one step, so that whatever stood there at that moment is at hand under our name. If it is not what we had read,
 * somebody was faster, and it is merged into the file; it is deleted only when nobody can write into it any more. A crash
 * leaves it, and its name says what it should hold: the next run goes on from there.
 */
export class Rewriter {
  readonly #folder: Folder
  readonly #name: string
  readonly #rewriting: Rewriting
  readonly #libc: Libc | undefined

  constructor(folder: Folder, name: string, rewriting: Rewriting, libc: Libc | undefined) {
    this.#folder = folder
    this.#name = name
    this.#rewriting = rewriting
    this.#libc = libc
  }

  async rewrite(): Promise<Outcome> {
    await this.#recover()
    for (let round = 0; round < mostRounds; round += 1) {
      const before = await this.#folder.read(this.#name, this.#settle(readMs))
      const next = await this.#rewriting.next(before?.bytes)
      if ('reason' in next) return { state: 'untouched', reason: next.reason, mark: before?.mark ?? null }
      if (before?.bytes.equals(next.bytes)) return { state: 'same', reason: null, mark: before.mark }
      const mark = await (before ? this.#replace(before, next.bytes, round) : this.#create(next.bytes))
      if (mark !== undefined) return { state: 'written', reason: null, mark }
    }
    throw new Untouched('busy')
  }

  /** Undefined if somebody else was faster. */
  async #create(bytes: Buffer): Promise<string | undefined> {
    const { temporary, mark } = await this.#write(bytes)
    await this.#rewriting.step('written')
    const failed = this.#libc?.renameNew(this.#folder.fd, temporary, this.#name) ?? errno.unknownCall
    const isMade = failed === 0 || (isUnsupported(failed) && this.#link(temporary, this.#name))
    if (failed !== 0) await this.#folder.remove(temporary)
    if (!isMade) return undefined
    await this.#folder.handle.sync()
    await this.#rewriting.step('renamed')
    return mark
  }

  /** Undefined if the file is no longer the one that was read, or was taken away. */
  async #replace(before: FileState, bytes: Buffer, depth: number): Promise<string | undefined> {
    const isHurried = depth >= calmRounds
    const { temporary, mark } = await this.#write(bytes, { before, isHurried })
    const swap = `${this.#prefix('swap')}${digestOf(before.bytes)}-${digestOf(bytes)}-${word()}`
    try {
      await this.#folder.rename(temporary, swap)
    } catch (error) {
      // Another worker has tidied up.
      if (isCode(error, 'ENOENT')) return undefined
      throw error
    }
    await this.#rewriting.step('written')
    // Most conflicts are seen here, and cost nothing.
    if (this.#folder.markOf(this.#name) !== before.mark || !this.#exchange(swap)) {
      await this.#folder.remove(swap)
      return undefined
    }
    // Somebody was faster by a hair. Back at once: whoever reads the file now would build upon it without their last change.
    if (this.#folder.markOf(swap) !== before.mark && this.#exchange(swap)) {
      if (this.#folder.markOf(swap) === mark) await this.#folder.remove(swap)
      else await this.#settleSwap(swap, bytes, depth)
      return undefined
    }
    if (isHurried) await this.#folder.flush(this.#name)
    await this.#folder.handle.sync()
    await this.#rewriting.step('renamed')
    await this.#settleSwap(swap, before.bytes, depth)
    return mark
  }

  /** Returns false if one of the two is missing. */
  #exchange(swap: string): boolean {
    const failed = this.#libc?.exchange(this.#folder.fd, swap, this.#name) ?? errno.unknownCall
    if (failed === 0) return true
    if (isUnsupported(failed)) return this.#exchangeInSteps(swap)
    if (failed === errno.missing) return false
    throw Object.assign(new Error(`exchanging files failed: ${failed}`), {
      syscall: 'renameat2',
      code: 'EIO',
    })
  }

  /** For file systems that cannot: somebody who renames a file into place between the two steps is overwritten. */
  #exchangeInSteps(swap: string): boolean {
    const temporary = `${this.#prefix('new')}${word()}`
    renameSync(this.#folder.at(swap), this.#folder.at(temporary))
    const isThere = this.#link(this.#name, swap)
    renameSync(this.#folder.at(temporary), this.#folder.at(isThere ? this.#name : swap))
    return isThere
  }

  #link(from: string, to: string): boolean {
    try {
      linkSync(this.#folder.at(from), this.#folder.at(to))
      return true
    } catch (error) {
      if (isCode(error, 'EEXIST', 'ENOENT')) return false
      throw error
    }
  }

  /** What has left its place is looked at when nobody can write into it any more, and then deleted. */
  async #settleSwap(swap: string, base: Buffer, depth: number): Promise<void> {
    const displaced = await this.#readDisplaced(swap)
    // Another worker has looked after it.
    if (!displaced) return
    await this.#rewriting.replaced(displaced.bytes)
    if (!displaced.bytes.equals(base)) await this.#bringBack(base, displaced.bytes, depth)
    if (displaced.is_settled) await this.#folder.remove(swap)
  }

  async #readDisplaced(swap: string): Promise<FileState | undefined> {
    try {
      return await this.#folder.read(swap, this.#settle(settleMs))
    } catch (error) {
      // Something that is no file of ours to touch was put there at the last moment.
      if (error instanceof Untouched) this.#exchange(swap)
      throw error
    }
  }

  async #bringBack(base: Buffer | undefined, theirs: Buffer, depth: number): Promise<void> {
    for (let round = depth; round < mostRounds; round += 1) {
      const current = await this.#folder.read(this.#name, this.#settle(readMs))
      // Deleted since, which is the last word.
      if (!current) return
      const merged = this.#rewriting.merge(base, theirs, current.bytes)
      const next = await this.#rewriting.next(merged)
      const bytes = 'reason' in next ? merged : next.bytes
      if (bytes.equals(current.bytes) || (await this.#replace(current, bytes, round + 1))) return
    }
    // What was not brought back stays under its name for the next run.
    throw new Untouched('busy')
  }

  /** What a run that has ended too early has left. */
  async #recover(): Promise<void> {
    const [unfinished, swaps] = [this.#prefix('new'), this.#prefix('swap')]
    const names = (await this.#folder.names()).toSorted()
    for (const name of names) {
      if (name.startsWith(unfinished)) await this.#folder.remove(name)
      if (name.startsWith(swaps)) await this.#recoverSwap(name, name.slice(swaps.length).split('-'))
    }
  }

  async #recoverSwap(swap: string, [was, ours]: readonly string[]): Promise<void> {
    const left = await this.#folder.read(swap, this.#settle(readMs))
    if (!left) return
    const digest = digestOf(left.bytes)
    if (digest !== ours) {
      await this.#rewriting.replaced(left.bytes)
      if (digest !== was) await this.#bringBack(undefined, left.bytes, 0)
    }
    if (left.is_settled) await this.#folder.remove(swap)
  }

  #prefix(kind: 'new' | 'swap'): string {
    return `.${this.#name}.crewhall-${kind}-`
  }

  /** Written to the disk before anybody sees it, with the permissions and the owner of the one before. */
  async #write(
    bytes: Buffer,
    { before, isHurried = false }: { before?: FileState; isHurried?: boolean } = {},
  ): Promise<{ temporary: string; mark: string }> {
    const temporary = `${this.#prefix('new')}${word()}`
    const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW
    const handle = await open(this.#folder.at(temporary), flags, before ? 0o600 : 0o666)
    try {
      await handle.writeFile(bytes)
      if (before) await keepRights(handle, before)
      if (!isHurried) await handle.sync()
      return { temporary, mark: markOf(await handle.stat({ bigint: true })) }
    } catch (error) {
      await this.#folder.remove(temporary)
      throw error
    } finally {
      await handle.close()
    }
  }

  #settle(limitMs: number): Settle {
    return async ({ fd }) => {
      const until = performance.now() + limitMs
      for (;;) {
        const taken = this.#libc?.isUnwritten(fd) ?? errno.unknownCall
        if (taken === 0) return true
        if (taken !== errno.again) {
          if (limitMs === settleMs) await setTimeout(blindMs)
          return true
        }
        if (performance.now() > until) return false
        await setTimeout(2)
      }
    }
  }
}

async function keepRights(
  handle: Awaited<ReturnType<typeof open>>,
  { uid, gid, mode }: FileState,
): Promise<void> {
  const made = await handle.stat()
  try {
    if (made.uid !== uid || made.gid !== gid) await handle.chown(uid, gid)
  } catch (error) {
    throw isCode(error, 'EPERM') ? new Untouched('owner', { cause: error }) : error
  }
  await handle.chmod(mode)
}

const isUnsupported = (failed: number): boolean => failed === errno.invalid || failed === errno.unknownCall
const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16)
const word = (): string => randomBytes(4).toString('hex')
