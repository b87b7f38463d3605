import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { SidecarBundle } from '@crewhall/contracts/fleet/desk-protocol.ts'

/**
 * What updates install: `sidecar.mjs` and `sidecar.json` in a folder of the operator, as `npm run sign` leaves them. Read
 * whenever it is needed, so that a new one is found without a restart. Desks verify it; here nothing is trusted or run.
 */
export class Bundles {
  readonly #folder: string | undefined
  readonly #complain: (error: unknown) => void

  constructor(folder: string | undefined, complain: (error: unknown) => void) {
    this.#folder = folder
    this.#complain = complain
  }

  async find(): Promise<SidecarBundle | undefined> {
    if (this.#folder === undefined) return undefined
    try {
      return SidecarBundle.parse(JSON.parse(await readFile(join(this.#folder, 'sidecar.json'), 'utf8')))
    } catch (error) {
      // Updates wait until the operator has mended it.
      this.#complain(error)
      return undefined
    }
  }

  open(): Readable {
    return createReadStream(join(this.#folder ?? '', 'sidecar.mjs'))
  }
}
