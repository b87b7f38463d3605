import type { Readable } from 'node:stream'
import { notFound } from '@crewhall/contracts/refusal.ts'
import type { CommandDeps } from '../commands/commands.service.ts'

export interface BundleDeps extends Pick<CommandDeps, 'findBundle'> {
  openBundle(): Readable
}

/** The file that updates install now, and no other. */
export async function getBundle({ findBundle, openBundle }: BundleDeps, sha256: string) {
  const bundle = await findBundle()
  if (bundle?.sha256 !== sha256) throw notFound()
  return { digest: sha256, size: bundle.bytes, load: async () => openBundle() }
}
