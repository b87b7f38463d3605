import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Where a checkout keeps what cannot live inside it. */
export const outsidePrefix = '/var/tmp/crewhall-'

/** Makes the folder of a part. In the shared /var/tmp a stranger may have made one of that name before us. */
export function makeDir(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o755 })
  if (!dir.startsWith(outsidePrefix)) return
  for (const made of [dirname(dir), dir])
    if (statSync(made).uid !== process.getuid?.()) throw new Error(`${made} belongs to another user`)
}
