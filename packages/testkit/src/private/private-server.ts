import { afterAll, beforeAll } from 'vitest'
import { productLimits } from '../limits.ts'
import { runProcess, type ServerProcess, startProcess } from '../server-process.ts'
import { entries } from '../test-server.ts'
import { verifyAfterTests } from '../verify-data.ts'
import { type PrivateServices, usePrivateServices } from './private-services.ts'

export interface PrivateServer {
  readonly services: PrivateServices
  /** A process with the probe and the product's limits on the private services; it ends with the test file at the latest. */
  start(env?: Record<string, string>): Promise<ServerProcess>
}

/** The probe's database on services of its own, for one test file that breaks them. */
export function usePrivateServer(): PrivateServer {
  const services = usePrivateServices()
  const started: ServerProcess[] = []
  beforeAll(() =>
    runProcess({
      entry: 'apps/server/test/probe/probe-migrate.ts',
      database_url: services.facts.postgres.url,
      env: services.env,
    }),
  )
  verifyAfterTests(() => ({ url: services.facts.postgres.url, env: services.env }))
  // Killed, not stopped: a drain would wait for what the tests have broken.
  afterAll(async () => {
    await Promise.all(started.map((process) => process.kill()))
  })
  return {
    services,
    async start(env = {}) {
      const process = await startProcess({
        entry: entries.probe.api,
        database_url: services.facts.postgres.url,
        env: { ...productLimits, ...services.env, ...env },
      })
      started.push(process)
      return process
    },
  }
}
