import { join } from 'node:path'
import type { DeskReport } from '@crewhall/contracts/fleet/desk-protocol.ts'
import type { BuildLeases } from './builds/leases.ts'
import type { OwnCode } from './own-code.ts'
import { openFolder, readIfThere, removeIfThere, replaceFile } from './state/durable-file.ts'

const loginMark = (stateFolder: string): string => join(stateFolder, 'login-expired')

/** How this desk is now. */
export async function reportOf(
  stateFolder: string,
  code: OwnCode,
  leases: BuildLeases,
  pending: number,
  linkAge: number | null,
): Promise<DeskReport> {
  return {
    ...code,
    builds_running: await leases.count(),
    pending_sync_count: pending,
    login_expired: (await readIfThere(loginMark(stateFolder))) !== undefined,
    link_age_s: linkAge,
  }
}

/** For the runtime: only it notices that its login has expired. */
export async function markLogin(stateFolder: string, state: string | undefined): Promise<void> {
  // It may notice before the sidecar has ever run.
  await openFolder(stateFolder)
  if (state === 'expired') await replaceFile(loginMark(stateFolder), '')
  else if (state === 'valid') await removeIfThere(loginMark(stateFolder))
  else throw new Error('login: expired or valid')
}
