import { join } from 'node:path'
import type { TestDatabase } from '@crewhall/testkit/databases.ts'
import { runProcess, type ServerProcess, startProcess } from '@crewhall/testkit/server-process.ts'
import { type Balancer, startBalancer } from './balancer.ts'

type Kind = 'api' | 'worker'

/** The processes of an installation behind their balancer, of whichever version. */
export class Fleet {
  readonly balancer: Balancer
  readonly #database: TestDatabase
  readonly #running: Record<Kind, ServerProcess[]> = { api: [], worker: [] }

  private constructor(database: TestDatabase, balancer: Balancer) {
    this.#database = database
    this.balancer = balancer
  }

  static async open(database: TestDatabase): Promise<Fleet> {
    return new Fleet(database, await startBalancer())
  }

  async migrate(folder: string): Promise<void> {
    const { url, owner_url } = this.#database
    const entry = join(folder, 'apps/server/src/migrate.ts')
    await runProcess({ entry, database_url: url, env: { DATABASE_OWNER_URL: owner_url }, is_source: true })
  }

  async start(folder: string, kind: Kind): Promise<void> {
    const entry = join(folder, `apps/server/src/${kind}.ts`)
    const env = { OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' }
    const process = await startProcess({ entry, database_url: this.#database.url, env, is_source: true })
    this.#running[kind].push(process)
    if (kind === 'api') this.balancer.add(process.url)
  }

  /** One after the other. There is one more than before while the old one ends. */
  async replace(folder: string, kind: Kind): Promise<void> {
    for (const old of [...this.#running[kind]]) {
      await this.start(folder, kind)
      if (kind === 'api') await this.balancer.takeOut(old.url)
      const code = await old.stop()
      if (code !== 0)
        throw new Error(`a process of kind ${kind} ended with ${code}:\n${old.lines.slice(-5).join('\n')}`)
      this.#running[kind].splice(this.#running[kind].indexOf(old), 1)
    }
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#running).flatMap((all) => all.map((each) => each.kill())))
    await this.balancer.close()
  }
}
