import { randomBytes } from 'node:crypto'
import { createDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { runProcess, type ServerProcess, startProcess } from '@crewhall/testkit/server-process.ts'
import { accessTo, type DatabaseAccess } from '@crewhall/testkit/world/database-access.ts'

/** Two API processes as on two machines: each has an address of its own, and all have the same ports. */
export const addresses = ['127.0.1.1', '127.0.1.2'] as const

export type ApiAt = (typeof addresses)[number]

export interface ProxiedProduct {
  readonly database: TestDatabase
  readonly access: DatabaseAccess
  readonly http_port: number
  readonly inside_port: number
  readonly apis: Map<ApiAt, ServerProcess>
  /** Lines of all processes that there were. */
  lines(): string[]
  startApi(at: ApiAt): Promise<void>
  stop(): Promise<void>
}

export async function startProduct(public_url: string): Promise<ProxiedProduct> {
  const database = await createDatabase(`drill_${randomBytes(5).toString('hex')}`)
  const access = accessTo(() => database)
  const http_port = await freePort()
  const inside_port = await freePort()
  const apis = new Map<ApiAt, ServerProcess>()
  const ever: ServerProcess[] = []
  const product: ProxiedProduct = {
    database,
    access,
    http_port,
    inside_port,
    apis,
    lines: () => ever.flatMap(({ lines }) => lines),
    async startApi(at) {
      const api = await startProcess({
        entry: 'apps/server/src/api.ts',
        database_url: database.url,
        env: {
          PUBLIC_URL: public_url,
          HTTP_HOST: at,
          HTTP_PORT: String(http_port),
          METRICS_HOST: at,
          METRICS_PORT: String(inside_port),
          HTTP_TRUST_PROXY: '127.0.0.1',
          HTTP_DRAIN_DELAY_MS: '4000',
        },
      })
      ever.push(api)
      apis.set(at, api)
    },
    async stop() {
      await Promise.all([...apis.values()].map((api) => api.kill()))
      await access.close()
      await database.drop()
    },
  }
  try {
    const env = { DATABASE_OWNER_URL: database.owner_url }
    await runProcess({ entry: 'apps/server/src/migrate.ts', database_url: database.url, env })
    await Promise.all(addresses.map((at) => product.startApi(at)))
    return product
  } catch (error) {
    await product.stop()
    throw error
  }
}
