import { join } from 'node:path'
import { SidecarBundle } from '@crewhall/contracts/fleet/desk-protocol.ts'
import { Uuid } from '@crewhall/contracts/wire.ts'
import { z } from 'zod'
import { readIfThere, removeIfThere, replaceFile } from '../state/durable-file.ts'

/** The update that this desk is about, as the sidecar, its supervisor and the next version of it know it. */
const Update = z.object({
  command_id: Uuid,
  bundle: SidecarBundle,
  /**
   * `accepted`: it is fetched, and waits until no build runs. `on_trial`: the link points to it, or is about to. `reverted`:
   * the supervisor has taken it back.
   */
  phase: z.enum(['accepted', 'on_trial', 'reverted']),
  /** The folder to go back to. */
  from: z.string().nullable(),
  /** How often the new version has ended by itself. */
  crashes: z.int(),
  error: z.string().nullable(),
})
export type Update = z.infer<typeof Update>

export class UpdateFile {
  readonly #path: string

  constructor(stateFolder: string) {
    this.#path = join(stateFolder, 'update.json')
  }

  async read(): Promise<Update | undefined> {
    const content = await readIfThere(this.#path)
    return content === undefined ? undefined : Update.parse(JSON.parse(content))
  }

  async write(update: Update): Promise<void> {
    await replaceFile(this.#path, `${JSON.stringify(update, null, 2)}\n`)
  }

  async remove(): Promise<void> {
    await removeIfThere(this.#path)
  }
}
