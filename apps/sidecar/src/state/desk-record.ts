import { join } from 'node:path'
import { CommandResult, PublicKey, SidecarVersion } from '@crewhall/contracts/fleet/desk-protocol.ts'
import { Uuid } from '@crewhall/contracts/wire.ts'
import { z } from 'zod'
import { readIfThere, replaceFile } from './durable-file.ts'

/** Enough for every command that could come again: they expire within minutes. */
const keptResults = 100

/** What this desk has to know after a restart. */
const DeskRecord = z.object({
  env_id: Uuid,
  /** What commands are signed with. */
  command_key: PublicKey,
  /** Two machines have used its key, so the service hears neither. */
  is_quarantined: z.boolean(),
  /** The oldest version that this desk still takes; it rises with the versions that have run here. */
  floor: SidecarVersion.nullable().default(null),
  /** Of commands that were carried out, oldest first. */
  results: z.array(CommandResult.extend({ is_told: z.boolean() })).max(keptResults),
})
export type DeskRecord = z.infer<typeof DeskRecord>

export class RecordFile {
  readonly #path: string

  constructor(stateFolder: string) {
    this.#path = join(stateFolder, 'desk.json')
  }

  async read(): Promise<DeskRecord | undefined> {
    const content = await readIfThere(this.#path)
    return content === undefined ? undefined : DeskRecord.parse(JSON.parse(content))
  }

  async write(record: DeskRecord): Promise<void> {
    const results = record.results.slice(-keptResults)
    await replaceFile(this.#path, `${JSON.stringify({ ...record, results }, null, 2)}\n`)
  }
}
