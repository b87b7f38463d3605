import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { attempt, run } from '@crewhall/services/commands.ts'
import { ensureCompose } from '@crewhall/services/docker-compose.ts'
import { selfSigned } from '@crewhall/testkit/self-signed.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { ContainerStorage } from '../../image/container-storage.ts'
import type { DockerService } from '../docker-service.ts'
import { expectThat } from '../expect-that.ts'
import { type Get, host, through } from './through-proxy.ts'

const production = resolve(import.meta.dirname, '../../../deploy/production')
export const composeFile = join(production, 'compose.yaml')
export const hubPort = 51820
const project = 'crewhall-drill'

interface ServiceConfig {
  readonly cpu_shares?: number
  readonly deploy?: { readonly resources?: { readonly limits?: { memory: string; pids: number } } }
}

/** An installation as `install` and the compose file make it. */
export class Installation {
  readonly docker: DockerService
  readonly folder: string
  readonly cert: string
  readonly get: Get
  readonly #key: string
  readonly #compose: string
  readonly #overrides: string[] = []
  readonly #storage: ContainerStorage

  private constructor(storage: ContainerStorage, docker: DockerService, compose: string) {
    this.#storage = storage
    this.docker = docker
    this.#compose = compose
    this.folder = join(storage.folder, 'installation')
    const { cert, key } = selfSigned(host)
    this.cert = cert
    this.#key = key
    this.get = this.patient(60_000)
  }

  /** Takes down what an earlier drill may have left. */
  static async open(storage: ContainerStorage, docker: DockerService): Promise<Installation> {
    const made = new Installation(storage, docker, await ensureCompose())
    if (existsSync(join(made.folder, '.env'))) await made.down()
    rmSync(made.folder, { recursive: true, force: true })
    return made
  }

  /** Whoever waits for each answer no longer than this. */
  patient = (limitMs: number): Get => through(443, this.cert, limitMs, this.docker.address)

  /** Returns what `install` printed. */
  async install(postgres_folder: string): Promise<string> {
    const answers = join(this.#storage.folder, 'answers')
    const lines = {
      public_url: `https://${host}`,
      operator_email: 'ann@example.test',
      certificates: 'given',
      hub_endpoint: `${host}:${hubPort}`,
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
    // Containers that a killed drill left were started again, and wrote to it.
    for (const name of readdirSync(postgres_folder)) rmSync(join(postgres_folder, name), { recursive: true })
    // A disk that can be filled without harm to the machine.
    const disk = `{ type: none, o: bind, device: ${postgres_folder} }`
    this.override('compose.drill.yaml', `volumes:\n  postgres-data:\n    driver_opts: ${disk}\n`)
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
      const shown = await this.docker.docker('ps', '--format', '{{.Status}}')
      return !/starting|unhealthy/.test(shown)
    }, limitMs)
  }

  /** Services of the compose file, as Compose understands it. */
  async config(): Promise<Readonly<Record<string, ServiceConfig>>> {
    const shown = await run(this.#compose, [...this.#args(), 'config', '--format', 'json'], {
      env: this.#env,
    })
    return JSON.parse(shown.slice(shown.indexOf('{\n'))).services
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
    const names = (await this.docker.docker('ps', '--all', '--format', '{{.Names}}')).trim().split('\n')
    const found = names.find((name) => new RegExp(`[-_]${service}[-_]\\d+$`).test(name))
    expectThat(found, `there is no container ${service} among ${names.join(', ')}`)
    return found
  }

  /** Of the first process of the container; 0 while it does not run. */
  async pidOf(service: string): Promise<number> {
    const name = await this.nameOf(service)
    return Number(await this.docker.docker('inspect', '--format', '{{.State.Pid}}', name))
  }

  /** In the network `inside`; another one after a restart. */
  async insideOf(service: string): Promise<string> {
    const field = `{{(index .NetworkSettings.Networks "${project}_inside").IPAddress}}`
    return (await this.docker.docker('inspect', '--format', field, await this.nameOf(service))).trim()
  }

  async exec(service: string, ...command: string[]): Promise<string> {
    return this.docker.docker('exec', await this.nameOf(service), ...command)
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
    return ['--env-file', join(this.folder, '.env'), ...files, '--project-name', project]
  }

  get #env(): Record<string, string> {
    return this.docker.env
  }
}
