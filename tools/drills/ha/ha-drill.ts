import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { productLimits } from '@crewhall/testkit/limits.ts'
import { endOfProcess, root } from '@crewhall/testkit/server-process.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { setup as bundlePrograms } from '../../build/bundle-programs.ts'
import type { Drill, DrillCheck, DrillSize } from '../drill.ts'
import { Fleet } from '../load/fleet.ts'
import { HaCluster, type NodeName, other } from './ha-cluster.ts'
import { HaLoad, type Outage } from './ha-load.ts'
import { obstacleToHa } from './ha-root.ts'
import { type Deed, goesOn, LostPart, tell } from './lost-part.ts'
import { checkStandbyAlerts } from './standby-alerts.ts'

/** The product with a job whose every run can be counted. */
const entries = {
  api: 'apps/server/test/probe/probe-api.ts',
  worker: 'apps/server/test/probe/probe-worker.ts',
  migrate: 'apps/server/test/probe/probe-migrate.ts',
}
/** What has to go on without that part. */
const needless: Record<'Redis' | 'S3', readonly Deed[]> = {
  Redis: ['card', 'board', 'sign-in', 'upload', 'download', 'stream'],
  S3: ['card', 'board', 'sign-in', 'stream'],
}
const kills: Readonly<Record<DrillSize, { readonly primary: number; readonly node: number }>> = {
  short: { primary: 1, node: 0 },
  usual: { primary: 2, node: 1 },
  full: { primary: 10, node: 3 },
}

/** The primary is killed under load, again and again, in a cluster of Patroni that is started from the shipped files. */
export const haDrill: Drill = {
  name: 'ha',
  least: 'short',
  obstacle: obstacleToHa,
  async run(check, size) {
    const { primary, node } = kills[size]
    await bundlePrograms()
    const work = mkdtempSync(join(tmpdir(), 'ha-drill-'))
    const cluster = await HaCluster.start(work)
    const { url, direct_url, owner_url } = cluster
    const { redis, s3 } = readServiceFacts()
    const lines = { Redis: await startFaultProxy(redis), S3: await startFaultProxy(s3) }
    const env = {
      ...productLimits,
      DATABASE_DIRECT_URL: direct_url,
      REDIS_URL: lines.Redis.through(redis.url),
      S3_ENDPOINT: lines.S3.through(s3.endpoint),
    }
    const fleet = await Fleet.open({ url, owner_url, env, entries, is_bundled: true })
    let load: HaLoad | undefined
    try {
      if (size !== 'short') await checkStandbyAlerts(check, cluster, work)
      await fleet.migrate(root)
      for (const kind of ['worker', 'worker', 'api', 'api'] as const) await fleet.start(root, kind)
      const begun = await HaLoad.begin(cluster, fleet)
      load = begun
      const told = async ({ gap_ms, revocation }: Outage, more: string) => {
        const kept = await begun.expectKept()
        const { refused, unanswered, letIn, revokedAfterMs } = revocation
        if (letIn.length > 0)
          throw new Error(`a revoked token was let in ${letIn.length} times, and refused ${refused} times`)
        const gap = (gap_ms / 1000).toFixed(1)
        const revoked = (revokedAfterMs / 1000).toFixed(1)
        return `write gap ${gap} s, ${more}, ${kept} acknowledged and there, token revoked in ${revoked} s and refused ${refused} times (${unanswered} tries without an answer)`
      }
      const lose = async (isNode: boolean) => {
        const primary = await cluster.settled()
        const outage = await begun.during(
          async () => (isNode ? cluster.killNode(primary) : cluster.killPostgres(primary)),
          120_000,
        )
        const back = performance.now()
        if (isNode) {
          await waitFor(async () => {
            const { primaries, sync_standbys } = await cluster.roles()
            return primaries === 1 && sync_standbys === 0
          }, 30_000)
          cluster.startNode(primary)
        }
        const now = await cluster.settled()
        const rejoined = ((performance.now() - back) / 1000).toFixed(1)
        return [
          outage.gap_ms,
          await told(outage, `${primary} to ${now}, standby back in ${rejoined} s`),
        ] as const
      }
      const loseStandbyFirst = async () => {
        const primary = await cluster.settled()
        const standby = other(primary)
        let alone = 0
        const outage = await begun.during(async () => {
          cluster.killNode(standby)
          const before = await begun.flows(60_000)
          alone = await waitFor(async () => {
            const count = begun.count - before
            return count > 50 && count
          }, 60_000)
          cluster.killNode(primary)
          cluster.startNode(standby)
          await expectNobody(cluster, standby)
          cluster.startNode(primary)
        }, 180_000)
        const now = await cluster.settled()
        if (now !== primary) throw new Error(`${now} took over without ${alone} acknowledged writes`)
        return [alone, await told(outage, `${alone} written by ${primary} alone`)] as const
      }
      await check('Patroni tells what the alert on a lost standby asks', async () => {
        await cluster.settled()
        await waitFor(async () => (await cluster.roles()).sync_standbys === 1, 30_000)
        const { primaries } = await cluster.roles()
        if (primaries !== 1) throw new Error(`${primaries} primaries`)
        return [primaries, 'one primary, one synchronous standby']
      })
      for (let count = 1; count <= primary; count += 1)
        await check(`kill -9 of the primary, ${count} of ${primary}`, () => lose(false))
      for (let count = 1; count <= node; count += 1)
        await check(`kill -9 of the whole node, ${count} of ${node}`, () => lose(true))
      if (size === 'full')
        await check('the standby is lost, then the primary: the standby alone does not take over', () =>
          loseStandbyFirst(),
        )
      if (size !== 'short')
        await loseParts(check, await LostPart.prepare(begun.founder, fleet.balancer.url), lines)
      await begun.end()
      await check('no acknowledged write is lost or made twice', () => begun.findTwice())
      await check('streams went on without gap or repetition', () => begun.compareStreams())
      await check('no job was done twice', () => begun.countJobs())
      await check('every webhook came, again only after an outage', () => begun.countDeliveries())
      await check('nothing was restarted', async () => {
        const all = Object.values(fleet.running).flat()
        const ended = all.filter(({ child }) => child.exitCode !== null || child.signalCode !== null)
        if (ended.length > 0) throw new Error(`${ended.length} processes of the product have ended`)
        const errors = all.flatMap((each) => each.logs()).filter(({ level }) => level === 'error')
        const lines = errors.slice(0, 5).map((line) => JSON.stringify(line).slice(0, 600))
        if (errors.length > 0) throw new Error(`${errors.length} errors in the logs\n${lines.join('\n')}`)
        return [all.length, `${all.length} processes, no error in their logs`]
      })
      await check('the pooler had to end no connection for what was sent on it', async () => {
        const ended = cluster.logOf('pgbouncer').match(/pooler error: prepared statement.*/g) ?? []
        if (ended.length > 0) throw new Error(`${ended.length} times: ${ended[0]}`)
        return [0, 'no name was prepared twice']
      })
      await check('verify-data', async () => {
        const entry = 'apps/server/src/verify-data.ts'
        const { code, output } = await endOfProcess({
          entry,
          database_url: direct_url,
          env: { DATABASE_OWNER_URL: owner_url },
        })
        if (code !== 0) throw new Error(output.slice(-600))
        return [code, output.trim().split('\n').at(-1) ?? '']
      })
    } finally {
      await load?.close()
      await fleet.close()
      await cluster.close()
      for (const line of Object.values(lines)) await line.close()
      rmSync(work, { recursive: true, force: true })
    }
  },
}

/** For longer than the primary is missed, the node that came back alone serves nobody, though its PostgreSQL runs. */
async function expectNobody(cluster: HaCluster, alone: NodeName): Promise<void> {
  await waitFor(() => cluster.is(alone, 'health'), 60_000)
  const until = Date.now() + 40_000
  while (Date.now() < until) {
    const primary = await cluster.find('primary')
    if (primary) throw new Error(`${primary} took over without what was acknowledged`)
    await setTimeout(200)
  }
}

/** What Redis and S3 cost while they are gone, and while they hang. */
async function loseParts(
  check: DrillCheck,
  without: LostPart,
  lines: Record<'Redis' | 'S3', FaultProxy>,
): Promise<void> {
  await check('with every part in place, to compare', async () => {
    const nothing = await without.lose(lines.Redis, { kind: 'none' })
    return [nothing, tell(nothing)]
  })
  for (const [name, line] of Object.entries(lines))
    for (const fault of ['reset', 'half_open'] as const)
      await check(`${name} ${fault === 'reset' ? 'is gone' : 'hangs'}`, async () => {
        const loss = await without.lose(line, { kind: fault })
        const stopped = needless[name as keyof typeof lines].filter((deed) => !goesOn(loss, deed))
        if (stopped.length > 0) throw new Error(`${stopped.join(', ')} did not go on: ${tell(loss)}`)
        return [loss, tell(loss)]
      })
  await without.close()
}
