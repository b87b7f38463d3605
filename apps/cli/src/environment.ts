import { homedir } from 'node:os'
import { join } from 'node:path'

/** What the surroundings say. Nothing else of this program reads a variable. */
export interface Environment {
  readonly token: string | undefined
  readonly host: string | undefined
  readonly profile: string | undefined
  readonly board: string | undefined
  /** Set inside a run: then only the token of the run counts. */
  readonly run: RunInEnvironment | undefined
  readonly no_color: boolean
  /** Program that opens pages. */
  readonly browser: string | undefined
  readonly config_dir: string
  readonly state_dir: string
  readonly cache_dir: string
}

/** The work that a process was started for, by `crewhall run`. */
export interface RunInEnvironment {
  readonly run_id: string
  readonly ref: string | undefined
  readonly claim_id: string | undefined
  readonly epoch: number | undefined
}

/** What each variable is for, as the documentation says it. */
export const variables = {
  CREWHALL_HOST: 'service to call',
  CREWHALL_TOKEN: 'token to call it with',
  CREWHALL_PROFILE: 'stored sign-in to use',
  CREWHALL_BOARD: 'board to work on',
  'CREWHALL_RUN, CREWHALL_CARD, CREWHALL_CLAIM, CREWHALL_EPOCH':
    'set by `crewhall run` for its command; then nothing is read from disk',
  BROWSER: 'program that opens pages',
  NO_COLOR: 'no colours',
} as const

/** Variables of a run, by what they hold. */
export const runVariables = {
  run_id: 'CREWHALL_RUN',
  ref: 'CREWHALL_CARD',
  claim_id: 'CREWHALL_CLAIM',
  epoch: 'CREWHALL_EPOCH',
} as const

export function readEnvironment(env: NodeJS.ProcessEnv = process.env): Environment {
  const said = (name: string): string | undefined => env[name] || undefined
  const place = (name: string, beneath: string): string =>
    join(said(name) ?? join(homedir(), beneath), 'crewhall')
  const run_id = said(runVariables.run_id)
  const epoch = Number(said(runVariables.epoch))
  return {
    token: said('CREWHALL_TOKEN'),
    host: said('CREWHALL_HOST'),
    profile: said('CREWHALL_PROFILE'),
    board: said('CREWHALL_BOARD'),
    run:
      run_id === undefined
        ? undefined
        : {
            run_id,
            ref: said(runVariables.ref),
            claim_id: said(runVariables.claim_id),
            epoch: Number.isSafeInteger(epoch) && epoch > 0 ? epoch : undefined,
          },
    no_color: said('NO_COLOR') !== undefined || said('TERM') === 'dumb',
    browser: said('BROWSER'),
    config_dir: place('XDG_CONFIG_HOME', '.config'),
    state_dir: place('XDG_STATE_HOME', '.local/state'),
    cache_dir: join(place('XDG_CACHE_HOME', '.cache'), 'cli'),
  }
}

/** The surroundings of a child: ours, with these variables, and without a token unless one of them is it. */
export function environmentOfChild(
  more: Readonly<Record<string, string>> = {},
  env: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const { CREWHALL_TOKEN: _, ...rest } = env
  return { ...rest, ...more }
}
