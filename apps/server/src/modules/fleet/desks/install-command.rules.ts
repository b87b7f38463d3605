import type { Runtime } from '@crewhall/contracts/fleet/desk.ts'

export interface InstallFacts {
  readonly install_url: string
  readonly base_url: string
  readonly pat: string
  readonly desk_id: string
  readonly runtime: Runtime
}

/** What ends a quoted word in a shell. The settings are the operator's; this is for a slip. */
const unquoted = (text: string): string => text.replaceAll("'", '%27')
const origin = (url: string): string => unquoted(url.replace(/(?<!\/)\/+$/, ''))
const encoded = (text: string): string => unquoted(encodeURIComponent(text))

/** DESK-12 to DESK-15, DESK-G2: to the letter. */
export function installCommands({ install_url, base_url, pat, desk_id, runtime }: InstallFacts) {
  const url = encoded(base_url.replace(/(?<!\/)\/+$/, ''))
  const address = `${origin(install_url)}/install/sidecar?pat=${pat}&env_id=${desk_id}&url=${url}&runtime=${runtime}`
  const command = (shell: string) => `curl -sSL '${address}' | ${shell}`
  return { install_command: command('bash'), install_command_sudo: command('sudo bash') }
}
