import { join } from 'node:path'
import { CommandResult, PublicKey, SidecarVersion } from '@crewhall/contracts/fleet/desk-protocol.ts'
import { Uuid } from '@crewhall/contracts/wire.ts'
import { z } from 'zod'
import { readIfThere, replaceFile } from './durable-file.ts'

/** Enough for every command that could come again: they expire within minutes. */
const keptResults = 100

/**
 * Where this desk is in the private network. Of what the service says, nothing but single addresses and a hub are taken:
 * whoever holds the service gets no other traffic of this machine.
 */
export const MeshPlace = z.object({
  address: z.ipv6(),
  hub_key: PublicKey,
  hub_endpoint: z.string().regex(/^(?:[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9a-f:.]+\]):\d{1,5}$/),
  allowed_ips: z
    .array(z.string().regex(/^[0-9a-f:]+\/128$/))
    .min(1)
    .max(10),
  keepalive_s: z.int().min(1).max(3600),
  /** Null of a desk that has joined before beats went through the network. */
  beat_url: z
    .string()
    .regex(/^http:\/\/\[[0-9a-f:]+\]:\d{1,5}$/)
    .nullable()
    .default(null),
})
export type MeshPlace = z.infer<typeof MeshPlace>

/** What this desk has to know after a restart. */
const DeskRecord = z.object({
  env_id: Uuid,
  /** What commands are signed with. */
  command_key: PublicKey,
  /** Two machines have used its key, so the service hears neither. */
  is_quarantined: z.boolean(),
  /** The desk is no more, so this machine may become another one. */
  is_released: z.boolean().default(false),
  /** The oldest version that this desk still takes; it rises with the versions that have run here. */
  floor: SidecarVersion.nullable().default(null),
  /** Null where it is reached without a private network. */
  mesh: MeshPlace.nullable().default(null),
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
