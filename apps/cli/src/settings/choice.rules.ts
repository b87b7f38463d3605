import type { Output } from '../output/outputs.ts'

/** Where a command may find out for whom and on what it works; what stands further up wins. */
export interface Sources {
  readonly flags: {
    readonly host?: string | undefined
    readonly profile?: string | undefined
    readonly board?: string | undefined
    readonly output?: Output | undefined
  }
  readonly environment: {
    readonly token?: string | undefined
    readonly host?: string | undefined
    readonly profile?: string | undefined
    readonly board?: string | undefined
    readonly in_run: boolean
  }
  /** `.crewhall.yaml` of this folder or of one above. */
  readonly folder?: LinkedFolder | undefined
  readonly profiles: {
    readonly current: string
    readonly profiles: Readonly<Record<string, ChosenProfile>>
  }
}

interface LinkedFolder {
  readonly host?: string | undefined
  readonly board?: string | undefined
  readonly project?: string | undefined
}

interface ChosenProfile {
  readonly host: string
  readonly workspace?: number | undefined
  readonly board?: string | undefined
  readonly output?: Output | undefined
}

export type Source = 'flag' | 'environment' | 'folder' | 'profile'

export interface Choice {
  readonly profile: string
  readonly host: string | undefined
  readonly host_from: Source | undefined
  readonly workspace: number | undefined
  readonly board: string | undefined
  readonly board_from: Source | undefined
  readonly project: string | undefined
  readonly output: Output | undefined
  /** `stored` is that of the profile, and only for its own host. */
  readonly credential: 'environment' | 'stored' | undefined
}

export interface Fault {
  readonly fault: string
}

export const isFault = (choice: Choice | Fault): choice is Fault => 'fault' in choice

/** Flag, environment, folder, profile, in this order. */
export function choose(sources: Sources): Choice | Fault {
  return sources.environment.in_run ? chooseInRun(sources) : chooseOutside(sources)
}

/** Nothing of the disk counts, and nothing can send the token of the run elsewhere. */
function chooseInRun({ flags, environment }: Sources): Choice | Fault {
  const host = originOf(environment.host)
  if (host === undefined) return { fault: 'inside a run CREWHALL_HOST has to name the service' }
  if (environment.token === undefined) return { fault: 'inside a run only the token of the run counts' }
  if (flags.host !== undefined && originOf(flags.host) !== host)
    return { fault: 'inside a run --host cannot name another service' }
  if (flags.profile !== undefined) return { fault: 'inside a run there are no profiles' }
  const [board, board_from] = first(['flag', flags.board], ['environment', environment.board])
  return {
    profile: 'run',
    host,
    host_from: 'environment',
    workspace: undefined,
    board,
    board_from,
    project: undefined,
    output: flags.output,
    credential: 'environment',
  }
}

function chooseOutside({ flags, environment, folder, profiles }: Sources): Choice | Fault {
  const [named] = first(['flag', flags.profile], ['environment', environment.profile])
  const profile = named ?? profiles.current
  const kept = Object.hasOwn(profiles.profiles, profile) ? profiles.profiles[profile] : undefined
  // A new name is fine where a sign-in is about to make it; then it has to come with a host.
  if (named !== undefined && !kept && flags.host === undefined && environment.host === undefined)
    return { fault: `there is no profile ${named}` }
  const [said, host_from] = first(
    ['flag', flags.host],
    ['environment', environment.host],
    ['profile', kept?.host],
  )
  const host = originOf(said)
  if (said !== undefined && host === undefined) return { fault: `${said} is not the address of a service` }
  const isOwn = kept !== undefined && originOf(kept.host) === host
  // A link that was made for another service says nothing about this one.
  const link = folder?.host === undefined || originOf(folder.host) === host ? folder : undefined
  const [board, board_from] = first(
    ['flag', flags.board],
    ['environment', environment.board],
    ['folder', link?.board],
    ['profile', isOwn ? kept.board : undefined],
  )
  const credential = environment.token !== undefined ? 'environment' : isOwn ? 'stored' : undefined
  return {
    profile,
    host,
    host_from,
    workspace: credential === 'stored' ? kept?.workspace : undefined,
    board,
    board_from,
    project: link?.project,
    output: flags.output ?? kept?.output,
    credential,
  }
}

function first(
  ...from: readonly (readonly [Source, string | undefined])[]
): [string, Source] | [undefined, undefined] {
  for (const [source, value] of from) if (value !== undefined) return [value, source]
  return [undefined, undefined]
}

/** `crew.example` is `https://crew.example`, and a machine's own address is taken without TLS. */
export function originOf(said: string | undefined): string | undefined {
  if (said === undefined) return undefined
  const isOwnMachine = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?(\/|$)/.test(said)
  // `ftp://x` would be taken for a host named ftp.
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(said) && !/^https?:/i.test(said)) return undefined
  const text = /^https?:\/\//i.test(said) ? said : `${isOwnMachine ? 'http' : 'https'}://${said}`
  if (!URL.canParse(text)) return undefined
  const { origin, username, password, protocol } = new URL(text)
  if (username !== '' || password !== '' || !/^https?:$/.test(protocol)) return undefined
  return origin
}
