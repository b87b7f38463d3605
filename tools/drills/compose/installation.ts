import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { attempt, run } from '@crewhall/services/commands.ts'
import { ensureCompose } from '@crewhall/services/docker-compose.ts'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { selfSigned } from '@crewhall/testkit/self-signed.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { ContainerStorage } from '../../image/container-storage.ts'
import { expectThat } from '../expect-that.ts'
import type { PodmanService } from '../podman-service.ts'
import { overrideFor } from './drill-override.ts'
import { type Get, host, through } from './through-proxy.ts'

const production = resolve(import.meta.dirname, '../../../deploy/production')
export const composeFile = join(production, 'compose.yaml')

/** An installation as `install` and the compose file make it, in podman. */
export class Installation {
  readonly podman: PodmanService
  readonly folder: string
  readonly ports: { readonly http: number; readonly https: number; readonly hub: number }
  readonly cert: string
  readonly get: Get
  /** Addresses in the network `inside`, by service. */
  inside: ReadonlyMap<string, string> = new Map()
  readonly #key: string
  readonly #compose: string
  readonly #overrides: string[] = []
  readonly #storage: ContainerStorage

  private constructor(
    storage: ContainerStorage,
    podman: PodmanService,
    compose: string,
    ports: Installation['ports'],
  ) {
    this.#storage = storage
    this.podman = podman
    this.#compose = compose
    this.ports = ports
    this.folder = join(storage.folder, 'installation')
    const { cert, key } = selfSigned(host)
    this.cert = cert
    this.#key = key
    this.get = through(ports.https, cert)
  }

  /** Takes down what an earlier drill may have left. */
  static async open(storage: ContainerStorage, podman: PodmanService): Promise<Installation> {
    const ports = { http: await freePort(), https: await freePort(), hub: await freePort() }
    const made = new Installation(storage, podman, await ensureCompose(), ports)
    if (existsSync(join(made.folder, '.env'))) await made.down()
    rmSync(made.folder, { recursive: true, force: true })
    return made
  }

  /** Returns what `install` printed. */
  async install(postgres_folder: string): Promise<string> {
    const answers = join(this.#storage.folder, 'answers')
    const lines = {
      public_url: `https://${host}`,
      operator_email: 'ann@example.test',
      certificates: 'given',
      hub_endpoint: `${host}:${this.ports.hub}`,
    }
    writeFileSync(
      answers,
      Object.entries(lines)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    )
    const said = await run(join(production, 'install'), ['--answers', answers, '--to', this.folder])
    writeFileSync(join(this.folder, 'certificates/cert.pem'), this.cert)
    writeFileSync(join(this.folder, 'certificates/key.pem'), this.#key, { mode: 0o600 })
    const { text, inside } = await overrideFor(this.#compose, this.#args(), this.#env, postgres_folder)
    this.inside = inside
    this.override('compose.drill.yaml', text)
    return said
  }

  /** A further file for all commands from now on. */
  override(name: string, text: string): void {
    const file = join(this.#storage.folder, name)
    writeFileSync(file, text)
    if (!this.#overrides.includes(file)) this.#overrides.push(file)
  }

  async up(...services: string[]): Promise<void> {
    const profile = services.includes('hub') ? ['--profile', 'hub'] : []
    const args = [
      ...this.#args(),
      ...profile,
      'up',
      '--detach',
      '--wait',
      '--wait-timeout',
      '600',
      ...services,
    ]
    const { code, output } = await attempt(this.#compose, args, { env: this.#env })
    if (code === 0) return
    const logs = await attempt(this.#compose, [...this.#args(), 'logs', '--no-color', '--tail', '15'], {
      env: this.#env,
    })
    throw new Error(`${output.slice(-3000)}\n${logs.output}`)
  }

  /** The migrations, apart from all that runs. */
  async migrate(): Promise<void> {
    await this.#do('run', '--rm', '--no-deps', '-T', 'migrate')
  }

  /** A new container in place of the old one, and of no other. */
  async replace(service: string): Promise<void> {
    await this.#do('up', '--detach', '--wait', '--no-deps', '--force-recreate', service)
  }

  /** Waits until each part that says how it is says that it is well. */
  async settle(limitMs: number): Promise<void> {
    await waitFor(async () => {
      const shown = await this.podman.podman('ps', '--format', '{{.Status}}')
      return !/starting|unhealthy/.test(shown)
    }, limitMs)
  }

  down(): Promise<{ code: number; output: string }> {
    const args = ['--profile', 'hub', 'down', '--volumes', '--timeout', '15']
    return attempt(this.#compose, [...this.#args(), ...args], { env: this.#env })
  }

  async logsOf(service: string, lines = 30): Promise<string> {
    const args = ['--profile', 'hub', 'logs', '--no-color', '--tail', String(lines), service]
    return (await attempt(this.#compose, [...this.#args(), ...args], { env: this.#env })).output
  }

  async nameOf(service: string): Promise<string> {
    const names = (await this.podman.podman('ps', '--all', '--format', '{{.Names}}')).trim().split('\n')
    const found = names.find((name) => new RegExp(`[-_]${service}[-_]\\d+$`).test(name))
    expectThat(found, `there is no container ${service} among ${names.join(', ')}`)
    return found
  }

  /** Of the first process of the container; 0 while it does not run. */
  async pidOf(service: string): Promise<number> {
    const name = await this.nameOf(service)
    return Number(await this.podman.podman('inspect', '--format', '{{.State.Pid}}', name))
  }

  async exec(service: string, ...command: string[]): Promise<string> {
    return this.podman.podman('exec', await this.nameOf(service), ...command)
  }

  /** One value, asked as superuser. */
  async ask(sql: string): Promise<string> {
    const psql = ['psql', '-U', 'postgres', '-d', 'crewhall', '-Atc']
    return (await this.exec('postgres', ...psql, sql)).trim()
  }

  async #do(...args: string[]): Promise<void> {
    const { code, output } = await attempt(this.#compose, [...this.#args(), ...args], { env: this.#env })
    expectThat(code === 0, output.slice(-3000))
  }

  #args(): string[] {
    const files = [composeFile, ...this.#overrides].flatMap((file) => ['-f', file])
    return ['--env-file', join(this.folder, '.env'), ...files, '--project-name', 'crewhall-drill']
  }

  get #env(): Record<string, string> {
    return {
      ...this.podman.env,
      CREWHALL_LISTEN: '127.0.0.1',
      CREWHALL_HTTP_PORT: String(this.ports.http),
      CREWHALL_HTTPS_PORT: String(this.ports.https),
    }
  }
}
