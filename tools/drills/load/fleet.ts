import { join } from 'node:path'
import { runProcess, type ServerProcess, startProcess } from '@crewhall/testkit/server-process.ts'
import { type Balancer, startBalancer } from './balancer.ts'

type Kind = 'api' | 'worker'

interface FleetOptions {
  readonly url: string
  readonly owner_url: string
  /** Further settings of every process. */
  readonly env?: Record<string, string>
  readonly entries?: Readonly<Record<Kind | 'migrate', string>>
  /** Bundles of this version, if they were made, and not the sources of a folder. */
  readonly is_bundled?: boolean
}

const productEntries = {
  api: 'apps/server/src/api.ts',
  worker: 'apps/server/src/worker.ts',
  migrate: 'apps/server/src/migrate.ts',
}

/** The processes of an installation behind their balancer, of whichever version. */
export class Fleet {
  readonly balancer: Balancer
  readonly running: Record<Kind, ServerProcess[]> = { api: [], worker: [] }
  readonly #options: FleetOptions

  private constructor(options: FleetOptions, balancer: Balancer) {
    this.#options = options
    this.balancer = balancer
  }

  static async open(options: FleetOptions): Promise<Fleet> {
    return new Fleet(options, await startBalancer())
  }

  async migrate(folder: string): Promise<void> {
    const { url, owner_url, env } = this.#options
    await runProcess({
      ...this.#program(folder, 'migrate'),
      database_url: url,
      env: { ...env, DATABASE_OWNER_URL: owner_url },
    })
  }

  async start(folder: string, kind: Kind): Promise<void> {
    const env = { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8', ...this.#options.env }
    const program = this.#program(folder, kind)
    const process = await startProcess({ ...program, database_url: this.#options.url, env })
    this.running[kind].push(process)
    if (kind === 'api') this.balancer.add(process.url)
  }

  /** One after the other. There is one more than before while the old one ends. */
  async replace(folder: string, kind: Kind): Promise<void> {
    for (const old of [...this.running[kind]]) {
      await this.start(folder, kind)
      if (kind === 'api') await this.balancer.takeOut(old.url)
      const code = await old.stop()
      if (code !== 0)
        throw new Error(`a process of kind ${kind} ended with ${code}:\n${old.lines.slice(-5).join('\n')}`)
      this.running[kind].splice(this.running[kind].indexOf(old), 1)
    }
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.running).flatMap((all) => all.map((each) => each.kill())))
    await this.balancer.close()
  }

  #program(folder: string, kind: Kind | 'migrate'): { entry: string; is_source: boolean } {
    const { entries = productEntries, is_bundled = false } = this.#options
    return { entry: is_bundled ? entries[kind] : join(folder, entries[kind]), is_source: !is_bundled }
  }
}
