import { notFound } from '@crewhall/contracts/refusal.ts'
import type { CommandDeps } from '../commands/commands.service.ts'
import type { DeskFile } from './bundles.ts'

export interface BundleDeps extends Pick<CommandDeps, 'findBundle'> {
  findFile(sha256: string): Promise<DeskFile | undefined>
}

/** The file that updates install now, and no other. */
export async function getBundle(deps: BundleDeps, sha256: string) {
  const bundle = await deps.findBundle()
  if (bundle?.sha256 !== sha256) throw notFound()
  return getFile(deps, sha256)
}

/** Any of those that a machine needs to join. */
export async function getFile({ findFile }: Pick<BundleDeps, 'findFile'>, sha256: string) {
  const file = await findFile(sha256)
  if (!file) throw notFound()
  return { digest: sha256, size: file.bytes, load: async () => file.open() }
}
