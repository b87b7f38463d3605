import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { longestLineSent, mostLinesSent } from '@crewhall/contracts/fleet/desk-memory.ts'
import { findSection, linesInside, withSection } from '@crewhall/contracts/memory/section.ts'
import { Uuid } from '@crewhall/contracts/wire.ts'
import { z } from 'zod'
import type { DeskLink } from '../link/desk-link.ts'
import { pause } from '../link/pause.ts'
import type { Log } from '../log.ts'
import type { Settings } from '../settings.ts'
import { readIfThere, replaceFile } from '../state/durable-file.ts'
import { type Next, rewriteShared } from './shared-file.ts'

interface Syncing {
  readonly place: NonNullable<Settings['memory_file']>
  readonly env_id: string
  readonly state_dir: string
  readonly link: DeskLink
  readonly log: Log
  readonly stop: AbortSignal
}

const Kept = z.array(Uuid)

/** Keeps the marked section of a MEMORY.md as the service has it, and tells the service what people write into it. */
export class MemorySync {
  readonly #syncing: Syncing
  /** Whose lines the section holds. */
  readonly #idsFile: string
  #ids: readonly string[] | undefined
  /** Why the file was last left alone: said once. */
  #said = ''

  constructor(syncing: Syncing) {
    this.#syncing = syncing
    this.#idsFile = join(syncing.state_dir, 'memory.json')
  }

  async keepSyncing(): Promise<void> {
    const { place, log, stop } = this.#syncing
    while (!stop.aborted) {
      await this.#sync().catch((error: unknown) => {
        if (!stop.aborted) log.warn('MEMORY.md was not synchronised', { error })
      })
      await pause(place.interval_s, stop)
    }
  }

  async #sync(): Promise<void> {
    const { place, log } = this.#syncing
    const outcome = await rewriteShared(place.path, (bytes) => this.#next(bytes))
    const reason = outcome.state === 'untouched' ? outcome.reason : ''
    if (reason !== '' && reason !== this.#said) log.warn('MEMORY.md was left untouched', { reason })
    if (outcome.state === 'written') log.info('MEMORY.md was written', { memories: this.#ids?.length ?? 0 })
    this.#said = reason
  }

  async #next(bytes: Buffer | undefined): Promise<Next> {
    const section = findSection(bytes ?? Buffer.alloc(0))
    if (section.kind === 'refused') return { reason: section.reason }
    const lines = section.kind === 'found' ? linesInside(section.inside) : null
    if (lines && (lines.length > mostLinesSent || lines.some((line) => line.length > longestLineSent)))
      return { reason: 'too_many_edits' }
    const { env_id, link } = this.#syncing
    const answer = await link.exchangeMemory(env_id, { lines, memory_ids: [...(await this.#readIds())] })
    if (answer.reason !== null) return { reason: answer.reason }
    // Before the file: of a memory that is not known any more, an edited line would be a new one.
    await this.#writeIds(answer.memory_ids)
    // A file without a section gets none before there is something to say.
    if (section.kind === 'absent' && answer.lines.length === 0) return { bytes: bytes ?? Buffer.alloc(0) }
    return { bytes: withSection(bytes, section, answer.lines, randomBytes(8).toString('hex')) }
  }

  async #readIds(): Promise<readonly string[]> {
    this.#ids ??= Kept.parse(JSON.parse((await readIfThere(this.#idsFile)) ?? '[]'))
    return this.#ids
  }

  async #writeIds(ids: readonly string[]): Promise<void> {
    if (ids.join() === (await this.#readIds()).join()) return
    await replaceFile(this.#idsFile, JSON.stringify(ids))
    this.#ids = ids
  }
}
