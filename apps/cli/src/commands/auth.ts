import { getMe, type Me, signOut } from '@crewhall/contracts/identity/sessions.ts'
import { listTokens, revokeToken } from '@crewhall/contracts/identity/tokens.ts'
import type { CommonFlags, Context } from '../context.ts'
import { Failure, failed } from '../failure.ts'
import { writeProfiles } from '../settings/profiles.ts'
import { forgetSecret, keepSecret } from '../settings/secrets.ts'
import { Caller } from '../transport/caller.ts'
import { isSession } from '../transport/credential.ts'
import { version } from '../version.ts'
import { type DeviceFlags, signInByDevice } from './device-login.ts'
import { confirmed } from './questions.ts'
import { textFrom } from './route-inputs.ts'
import { statusFields } from './status-fields.ts'

interface LoginFlags extends DeviceFlags {
  readonly withToken?: boolean
  readonly setBoard?: string
}

const tokenForm = /^[\x21-\x7e]{10,400}$/

export async function login(context: Context, _: readonly string[], flags: LoginFlags): Promise<undefined> {
  if (context.environment.run) throw failed('inside a run there is nothing to sign in to')
  if (flags.withToken && (flags.scopes !== undefined || flags.web))
    throw failed('--with-token: a token that you have needs neither --scopes nor --web')
  const { profile, host: chosen } = await context.choice()
  const host = chosen ?? (await context.host())
  if (/^http:/.test(host) && !/^http:\/\/(localhost|127\.|\[::1\])/.test(host))
    context.printer.warn(`crewhall: ${host} is not encrypted: others on the way can read the sign-in`)
  const token = flags.withToken ? await givenToken() : await signInByDevice(context, host, flags)
  const me = await whoIs(host, token, context)
  const place = await keepSecret(context.environment.config_dir, profile, token)
  const profiles = await context.profiles()
  await writeProfiles(context.environment.config_dir, {
    ...profiles,
    current: profile,
    profiles: {
      ...profiles.profiles,
      [profile]: {
        ...profiles.profiles[profile],
        host,
        ...(me.brand_id === null ? {} : { workspace: me.brand_id }),
        ...(flags.setBoard === undefined ? {} : { board: flags.setBoard }),
      },
    },
  })
  if (place === 'file')
    context.printer.note('The sign-in is in a file that only you can read: there is no keyring here.')
  context.printer.note(`Signed in to ${host} as ${me.person.full_name}, until ${me.expires_at.slice(0, 10)}.`)
  return undefined
}

async function givenToken(): Promise<string> {
  const token = (await textFrom('-')).trim()
  if (!tokenForm.test(token) || isSession(token)) throw failed('standard input holds no token')
  return token
}

async function whoIs(host: string, token: string, context: Context): Promise<Me> {
  const caller = new Caller({ host, token, version, limit_ms: 30_000, signal: context.signal })
  return (await caller.call(getMe)).body as Me
}

/** Without any secret: what is printed here may be pasted elsewhere. */
export async function status(context: Context): Promise<undefined> {
  const choice = await context.choice()
  const { body } = await (await context.caller()).call(getMe)
  const me = body as Me
  const workspace = me.memberships.find(({ brand_id }) => brand_id === me.brand_id)
  const told: Readonly<Record<(typeof statusFields)[number], unknown>> = {
    host: choice.host,
    profile: choice.profile,
    credential: choice.credential === 'environment' ? `${me.credential} of CREWHALL_TOKEN` : me.credential,
    person: me.person.full_name,
    email: me.person.email,
    workspace: workspace?.name ?? null,
    workspace_id: me.brand_id,
    role: me.role,
    scopes: me.scopes,
    agent: me.agent ?? null,
    expires_at: me.expires_at,
    board: choice.board ?? null,
  }
  await context.printer.result(told, { list: undefined, fields: statusFields, columns: [] })
  return undefined
}

export async function switchProfile(context: Context, [name]: readonly string[]): Promise<undefined> {
  const { config_dir, run } = context.environment
  if (run) throw failed('inside a run there are no profiles')
  const profiles = await context.profiles()
  const view = {
    list: 'profiles',
    fields: ['name', 'host', 'board', 'current'],
    columns: ['name', 'host', 'board', 'current'],
  }
  if (name === undefined) {
    const all = Object.entries(profiles.profiles).map(([each, { host, board }]) => ({
      name: each,
      host,
      board: board ?? null,
      current: each === profiles.current,
    }))
    await context.printer.result({ profiles: all }, view)
    return undefined
  }
  if (!Object.hasOwn(profiles.profiles, name)) throw new Failure('not_found', `there is no profile ${name}`)
  await writeProfiles(config_dir, { ...profiles, current: name })
  context.printer.note(`${name} is used from now on.`)
  return undefined
}

interface LogoutFlags extends CommonFlags {
  readonly keepToken?: boolean
}

/** On the server first: what was only forgotten would stay valid. */
export async function logout(context: Context, _: readonly string[], flags: LogoutFlags): Promise<undefined> {
  const { profile, credential } = await context.choice()
  if (credential !== 'stored')
    throw failed('there is no stored sign-in', 'CREWHALL_TOKEN ends with its shell')
  const { config_dir } = context.environment
  const token = await context.token()
  if (token !== undefined && !flags.keepToken)
    await (isSession(token) ? endSession(context) : endToken(context, token))
  await forgetSecret(config_dir, profile)
  const profiles = await context.profiles()
  const { [profile]: _gone, ...rest } = profiles.profiles
  const [next = 'default'] = Object.keys(rest)
  await writeProfiles(config_dir, {
    ...profiles,
    profiles: rest,
    current: profiles.current === profile ? next : profiles.current,
  })
  context.printer.note(`Signed out of ${profile}.`)
  return undefined
}

async function endSession(context: Context): Promise<void> {
  try {
    await (await context.caller()).call(signOut)
  } catch (error) {
    if (!(error instanceof Failure && error.status === 401)) throw error
  }
}

async function endToken(context: Context, token: string): Promise<void> {
  try {
    const caller = await context.caller()
    const brand_id = String(await context.workspace())
    const { body } = await caller.call(listTokens, { params: { brand_id } })
    const own = (body as { tokens: { id: string; last_four: string }[] }).tokens.filter(({ last_four }) =>
      token.endsWith(last_four),
    )
    const [one] = own
    if (own.length !== 1 || !one)
      throw failed('the token cannot be told apart from others', 'repeat it with --keep-token')
    await confirmed(context, 'Revoke the token on the server, and every token it issued?')
    await caller.call(revokeToken, { params: { brand_id, token_id: one.id } })
  } catch (error) {
    // One that is no longer valid has ended already.
    if (!(error instanceof Failure && error.status === 401)) throw error
  }
}
