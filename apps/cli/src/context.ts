import { getMe } from '@crewhall/contracts/identity/sessions.ts'
import type { Environment } from './environment.ts'
import { failed, signInNeeded } from './failure.ts'
import type { Output } from './output/outputs.ts'
import { Printer } from './output/printer.ts'
import { type Choice, choose, isFault, originOf } from './settings/choice.rules.ts'
import { type FoundLink, findLink } from './settings/folder-link.ts'
import { noProfiles, type Profiles, readProfiles } from './settings/profiles.ts'
import { readSecret } from './settings/secrets.ts'
import { Caller } from './transport/caller.ts'
import { version } from './version.ts'

/** Flags that every command takes. */
export interface CommonFlags {
  readonly host?: string
  readonly profile?: string
  readonly board?: string
  readonly json?: string | true
  readonly jq?: string
  readonly template?: string
  readonly output?: Output
  readonly quiet?: boolean
  readonly yes?: boolean
  /** False with `--no-input`. */
  readonly input?: boolean
  readonly timeout?: string
  readonly idempotencyKey?: string
}

const standardLimitSeconds = 30

/** What a command works with: who calls whom, and how results are printed. */
export class Context {
  readonly environment: Environment
  readonly flags: CommonFlags
  readonly printer: Printer
  readonly signal: AbortSignal
  #profiles: Profiles | undefined
  #link: FoundLink | undefined
  #choice: Choice | undefined
  #caller: Caller | undefined
  #workspace: number | undefined

  constructor(environment: Environment, flags: CommonFlags, signal: AbortSignal) {
    this.environment = environment
    this.flags = flags
    this.signal = signal
    this.printer = new Printer(process.stdout, process.stderr, {
      output: flags.output,
      fields: fieldsIn(flags),
      jq: flags.jq,
      template: flags.template,
      quiet: flags.quiet,
      no_color: environment.no_color,
    })
  }

  /** Whether somebody can be asked. */
  get mayAsk(): boolean {
    return process.stdin.isTTY === true && process.stderr.isTTY === true && this.flags.input !== false
  }

  /** Inside a run nothing is read from disk. */
  async profiles(): Promise<Profiles> {
    if (this.environment.run) return noProfiles
    this.#profiles ??= await readProfiles(this.environment.config_dir)
    return this.#profiles
  }

  async choice(): Promise<Choice> {
    if (this.#choice) return this.#choice
    const { environment, flags } = this
    const profiles = await this.profiles()
    if (!environment.run) this.#link = await findLink(process.cwd())
    const choice = choose({
      flags,
      environment: { ...environment, in_run: environment.run !== undefined },
      folder: this.#link?.link,
      profiles,
    })
    if (isFault(choice))
      throw environment.run
        ? signInNeeded(choice.fault, 'crewhall run starts commands with what they need')
        : failed(choice.fault)
    this.#choice = choice
    return choice
  }

  get linkFile(): string | undefined {
    return this.#link?.file
  }

  async host(): Promise<string> {
    const { host } = await this.choice()
    if (host !== undefined) return host
    throw signInNeeded('no service is named', 'crewhall auth login --host crew.example')
  }

  /** The credential of this invocation; nothing without a sign-in. */
  async token(): Promise<string | undefined> {
    const { credential, profile } = await this.choice()
    if (credential === 'environment') return this.environment.token
    return credential === 'stored' ? readSecret(this.environment.config_dir, profile) : undefined
  }

  async caller(options: { readonly anonymous?: boolean } = {}): Promise<Caller> {
    if (this.#caller) return this.#caller
    const host = await this.host()
    const token = await this.token()
    if (token === undefined && !options.anonymous)
      throw signInNeeded(`not signed in to ${host}`, `crewhall auth login --host ${host}`)
    const caller = new Caller({
      host,
      token,
      version,
      limit_ms: this.#limitMs(),
      key: this.#key(),
      signal: this.signal,
      onWait: (reason, wait_ms) =>
        this.printer.note(`${reason}; trying again in ${(wait_ms / 1000).toFixed(1)} s`),
    })
    if (!options.anonymous) this.#caller = caller
    return caller
  }

  /** The workspace that the credential acts for: of the profile, or asked for once. */
  async workspace(): Promise<number> {
    const kept = (await this.choice()).workspace ?? this.#workspace
    if (kept !== undefined) return kept
    const { body } = await (await this.caller()).call(getMe)
    const { brand_id } = body as { brand_id: number | null }
    if (brand_id === null) throw failed('this sign-in acts for no workspace')
    this.#workspace = brand_id
    return brand_id
  }

  #limitMs(): number {
    const { timeout } = this.flags
    if (timeout === undefined) return standardLimitSeconds * 1000
    if (!/^\d{1,5}$/.test(timeout) || timeout === '0') throw failed('--timeout: must be a number of seconds')
    return Number(timeout) * 1000
  }

  #key(): string | undefined {
    const { idempotencyKey } = this.flags
    if (idempotencyKey === undefined || /^[!-~]{1,200}$/.test(idempotencyKey)) return idempotencyKey
    throw failed('--idempotency-key: must be 1 to 200 visible characters')
  }
}

function fieldsIn({ json }: CommonFlags): readonly string[] | undefined {
  if (json === undefined) return undefined
  return json === true ? [] : json.split(',').map((name) => name.trim())
}

export const isSameService = (one: string, other: string): boolean => originOf(one) === originOf(other)
