import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import manifest from '../package.json' with { type: 'json' }

export interface OwnCode {
  readonly version: string
  /** SHA-256 of the file that runs. */
  readonly digest: string
}

/** Read once at the start: the file may be replaced while this process still runs what it was. */
export async function readOwnCode(file: string): Promise<OwnCode> {
  const digest = createHash('sha256')
    .update(await readFile(file))
    .digest('hex')
  return { version: manifest.version, digest }
}
