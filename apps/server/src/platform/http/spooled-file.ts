import { createHash } from 'node:crypto'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'

/** Where a long text is written to, a piece at a time. */
export interface Sink {
  add(text: string): void
  /** To be awaited now and then: what is there so far may leave the memory. */
  flush(): Promise<void>
}

const inMemoryBytes = 4 * 1024 * 1024

/**
 * A text that is made at once and taken as slowly as the caller likes. A short one stays in memory, a long one
 * goes to a file without a name, which is gone when it is closed, also when the process is killed.
 */
export class SpooledFile implements Sink {
  bytes = 0
  readonly #inMemoryBytes: number
  readonly #hash = createHash('sha256')
  #waiting: string[] = []
  readonly #kept: Uint8Array[] = []
  #file: FileHandle | undefined

  constructor(memoryBytes = inMemoryBytes) {
    this.#inMemoryBytes = memoryBytes
  }

  /** Nothing stays behind when the work fails. */
  static async write(work: (sink: SpooledFile) => Promise<void>, memoryBytes?: number): Promise<SpooledFile> {
    const file = new SpooledFile(memoryBytes)
    try {
      await work(file)
      await file.flush()
      return file
    } catch (error) {
      await file.discard()
      throw error
    }
  }

  add(text: string): void {
    this.#waiting.push(text)
  }

  async flush(): Promise<void> {
    const piece = Buffer.from(this.#waiting.join(''))
    this.#waiting = []
    await this.append(piece)
  }

  /** Bytes instead of texts. */
  async append(piece: Uint8Array): Promise<void> {
    this.#hash.update(piece)
    this.bytes += piece.length
    this.#kept.push(piece)
    if (this.bytes <= this.#inMemoryBytes) return
    this.#file ??= await openNameless()
    for (const each of this.#kept.splice(0)) await this.#file.appendFile(each)
  }

  /** Once, when it is complete. */
  get digest(): string {
    return this.#hash.copy().digest('hex')
  }

  /** To be taken once: the file is gone with the last byte, or with the one who takes it. */
  load(): Buffer | Readable {
    return this.#file?.createReadStream({ start: 0 }) ?? Buffer.concat(this.#kept)
  }

  /** From the beginning, again and again, until it is discarded. */
  read(): Buffer | Readable {
    return this.#file?.createReadStream({ start: 0, autoClose: false }) ?? Buffer.concat(this.#kept)
  }

  async discard(): Promise<void> {
    await this.#file?.close()
  }
}

async function openNameless(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'crewhall-'))
  try {
    return await open(join(folder, 'spool'), 'wx+', 0o600)
  } finally {
    await rm(folder, { recursive: true })
  }
}
