import { type Runtime, runtimes } from '@crewhall/contracts/fleet/desk.ts'

/** What the install command asks with. */
export interface InstallRequest {
  readonly pat: string
  readonly env_id: string
  /** Where the machine finds the service from then on. */
  readonly url: string
  readonly runtime: Runtime
}

/** Why there is no installer. `exit_code` is what the installer itself would end with for the same cause. */
export interface NoInstaller {
  readonly status: number
  readonly reason: string
  readonly exit_code: number
}

const patForm = /^dsk_[A-Za-z0-9_-]{43}$/
const idForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The same for a token that is wrong, used, replaced, expired or another desk's. */
export const wrongToken: NoInstaller = {
  status: 401,
  reason:
    'The token does not belong to this desk, was used by another machine, or has expired. Call regenerate-pat and run the new command. Nothing was changed on this machine.',
  exit_code: 5,
}

const wrongCommand = (what: string): NoInstaller => ({
  status: 400,
  reason: `The install command is not complete: ${what}. Copy it again from the order of the desk. Nothing was changed on this machine.`,
  exit_code: 1,
})

export const notAvailable: NoInstaller = {
  status: 404,
  reason: 'The installer is not available on this installation. Nothing was changed on this machine.',
  exit_code: 1,
}

const trimmed = (url: string): string => url.replace(/(?<!\/)\/+$/, '')

/**
 * Each value once and in its form: they become part of a script that root runs. `url` must be an address of this service,
 * or anybody could make our own domain hand out a script that joins a machine to theirs.
 */
export function readRequest(
  query: URLSearchParams,
  origins: readonly string[],
): InstallRequest | { readonly refused: NoInstaller } {
  const only = (name: string): string => {
    const values = query.getAll(name)
    return values.length === 1 ? (values[0] ?? '') : ''
  }
  const [pat, env_id, url, given] = [only('pat'), only('env_id'), only('url'), only('runtime')]
  const runtime = runtimes.find((each) => each === given)
  const origin = origins.map(trimmed).find((each) => each === trimmed(url))
  if (runtime === undefined) return { refused: wrongCommand('`runtime` is unknown') }
  if (origin === undefined) return { refused: wrongCommand('`url` is no address of this service') }
  if (!patForm.test(pat) || !idForm.test(env_id)) return { refused: wrongToken }
  return { pat, env_id, url: origin, runtime }
}
