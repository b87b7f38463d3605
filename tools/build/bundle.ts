import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { rolldown } from 'rolldown'

const root = resolve(import.meta.dirname, '../..')

export interface Bundle {
  readonly file: string
  readonly bytes: number
  /** SHA-256 of the file, in hexadecimal digits: what a sidecar tells as the digest of its code. */
  readonly digest: string
}

/**
 * Writes the sidecar as one file that needs nothing but Node. The same sources give the same bytes on every machine, so
 * that whoever builds it can compare the digest.
 */
export async function bundleSidecar(folder: string): Promise<Bundle> {
  const bundle = await rolldown({
    // Names in the output are relative to it.
    cwd: root,
    input: 'apps/sidecar/src/main.ts',
    platform: 'node',
    // Contracts that the sidecar does not use stay out, although each tells the others that it exists.
    treeshake: { moduleSideEffects: [{ test: /\/packages\/contracts\//, sideEffects: false }] },
  })
  try {
    const file = join(folder, 'sidecar.mjs')
    const { output } = await bundle.write({ file, format: 'esm', codeSplitting: false })
    const [chunk, ...others] = output
    if (others.length > 0) throw new Error(`the sidecar has to be one file, not ${output.length}`)
    const bytes = Buffer.from(chunk.code)
    return { file, bytes: bytes.length, digest: createHash('sha256').update(bytes).digest('hex') }
  } finally {
    await bundle.close()
  }
}
