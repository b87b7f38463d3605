import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { ensurePackages } from '@crewhall/services/debian-packages.ts'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { DrillCheck } from '../drill.ts'
import { Prometheus, readExample, replaced } from '../watching/prometheus.ts'
import { ask } from './ask.ts'
import { type HaCluster, other } from './ha-cluster.ts'

type Wanted = 'CrewhallStandbyLost' | 'CrewhallStandbyLate'

/** Alerts that take a standby: Prometheus asks the Patroni of both nodes, and the primary. */
export async function checkStandbyAlerts(check: DrillCheck, cluster: HaCluster, work: string): Promise<void> {
  await ensurePackages(['prometheus', 'prometheus-postgres-exporter'], join(work, 'packages.log'))
  const folder = join(work, 'prometheus')
  mkdirSync(folder)
  const prometheus = new Prometheus(folder)
  try {
    const exporter = await freePort()
    prometheus.runPostgresExporter(exporter, cluster.admin_url)
    const targets = {
      '["api-1:9400", "api-2:9400"]': '[]',
      '["worker-1:9401", "worker-2:9401"]': '[]',
      '["hub:9402"]': '[]',
      '["node-exporter:9100"]': '[]',
      '["https://crewhall.example.com/api/v1/system/health"]': '[]',
      '["postgres-exporter:9187"]': `["127.0.0.1:${exporter}"]`,
      '["db-a:8008", "db-b:8008"]': `[${cluster.patronis.map((address) => `"${address}"`).join(', ')}]`,
    }
    const settings = Object.entries(targets).reduce(
      (text, [from, to]) => replaced(text, from, to),
      readExample(),
    )
    await prometheus.start(settings)
    const standby = other(await cluster.settled())
    const fires = async (name: Wanted, fault: () => Promise<unknown>, mend: () => Promise<unknown>) => {
      const isFiring = async () => (await prometheus.firing()).includes(name)
      // One that fires already would show nothing.
      await waitFor(async () => (await prometheus.query('up == 1')).length === 3, 40_000)
      await waitFor(async () => !(await isFiring()), 40_000)
      const began = performance.now()
      let seconds = ''
      try {
        await fault()
        await waitFor(isFiring, 60_000)
        seconds = ((performance.now() - began) / 1000).toFixed(1)
      } finally {
        await mend()
      }
      await waitFor(async () => !(await isFiring()), 60_000)
      return [true, `after ${seconds} s, and it ends by itself`] as const
    }
    await check('CrewhallStandbyLate: what repeats WAL on the standby hangs while 300 MB are written', () =>
      fires(
        'CrewhallStandbyLate',
        async () => {
          cluster.signalReplay(standby, 'SIGSTOP')
          await ask(
            cluster.admin_url,
            `select count(pg_logical_emit_message(false, 'drill', repeat('x', 1000000))) from generate_series(1, 300)`,
          )
        },
        async () => cluster.signalReplay(standby, 'SIGCONT'),
      ),
    )
    await check('CrewhallStandbyLost: the standby is killed', () =>
      fires(
        'CrewhallStandbyLost',
        async () => cluster.killNode(standby),
        async () => {
          cluster.startNode(standby)
          await cluster.settled()
        },
      ),
    )
  } catch (error) {
    throw new Error(prometheus.said(), { cause: error })
  } finally {
    await prometheus.stop()
  }
}
