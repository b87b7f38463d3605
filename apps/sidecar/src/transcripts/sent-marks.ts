import { join } from 'node:path'
import { z } from 'zod'
import { readIfThere, replaceFile } from '../state/durable-file.ts'
import type { SessionFile } from './session-files.ts'

const Marks = z.record(z.string(), z.object({ inode: z.int(), offset: z.int() }))
type Marks = z.infer<typeof Marks>

/** How much of each file was sent. Written after each portion: what is lost is sent again, and recognised there. */
export class SentMarks {
  readonly #path: string
  #marks: Marks | undefined

  constructor(stateFolder: string) {
    this.#path = join(stateFolder, 'transcripts.json')
  }

  /** A file that was replaced or cut begins anew. */
  async offsetOf({ path, inode, size }: SessionFile): Promise<number> {
    const mark = (await this.#read())[path]
    return mark && mark.inode === inode && mark.offset <= size ? mark.offset : 0
  }

  async put({ path, inode }: SessionFile, offset: number): Promise<void> {
    await this.#write({ ...(await this.#read()), [path]: { inode, offset } })
  }

  /** Forgets files that are gone. */
  async keepOnly(files: readonly SessionFile[]): Promise<void> {
    const marks = await this.#read()
    const there = new Set(files.map(({ path }) => path))
    const kept = Object.entries(marks).filter(([path]) => there.has(path))
    if (kept.length < Object.keys(marks).length) await this.#write(Object.fromEntries(kept))
  }

  async #read(): Promise<Marks> {
    this.#marks ??= Marks.parse(JSON.parse((await readIfThere(this.#path)) ?? '{}'))
    return this.#marks
  }

  async #write(marks: Marks): Promise<void> {
    await replaceFile(this.#path, JSON.stringify(marks))
    this.#marks = marks
  }
}
