import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { Drill } from '../drill.ts'
import { expectThat } from '../expect-that.ts'
import { BackupRepository } from '../restore/backup-repository.ts'
import { ask } from './ask.ts'
import { BackedUpCluster } from './backed-up-cluster.ts'
import { HaCluster, other } from './ha-cluster.ts'
import { obstacleToHa } from './ha-root.ts'
import { MarkWriter } from './mark-writer.ts'

/** Segments that are whole, and not yet archived, when the primary is lost. */
const unarchived = 4

/** Backups of a cluster whose primary is lost, and of which nothing is left. */
export const haBackupsDrill: Drill = {
  name: 'ha-backups',
  least: 'full',
  obstacle: obstacleToHa,
  async run(check) {
    const work = mkdtempSync(join(tmpdir(), 'ha-drill-'))
    const repository = await BackupRepository.open('ha-drill')
    const cluster = await HaCluster.start(work)
    const nodes = new BackedUpCluster(work, cluster, repository)
    const writer = new MarkWriter(cluster.admin_url)
    try {
      const first = await cluster.settled()
      const second = other(first)
      await check('archiving is turned on as the page says, and a backup made', async () => {
        await nodes.query('create table marks (mark bigint primary key)')
        await nodes.backrest(first, 'stanza-create')
        await nodes.turnOnArchiving()
        expectThat((await cluster.settled()) === first, 'the primary has changed')
        await nodes.backrest(first, 'check')
        await nodes.backUp(first)
        return [first, `from ${first}`]
      })
      writer.start()
      const pushed = await check(
        'WAL that the lost primary had not archived is archived by the new one',
        async () => {
          await waitFor(() => writer.count > 20, 30_000)
          repository.line.set({ kind: 'reset' })
          const names: string[] = []
          while (names.length < unarchived) names.push(await nodes.switchWal())
          cluster.killNode(first)
          await waitFor(async () => (await cluster.find('primary')) === second, 60_000)
          const before = await nodes.archived(names)
          expectThat(before.length === 0, `${before.length} of ${names.length} were archived before`)
          repository.line.set({ kind: 'none' })
          await waitFor(async () => (await nodes.archived(names)).length === names.length, 120_000)
          const by = cluster.logOf(`patroni-${second}`).match(/backfill-archive: pushed [0-9A-F]{24}/g) ?? []
          expectThat(by.length >= names.length, `only ${by.length} were pushed by the script`)
          return [by.length, `${by.length} segments`]
        },
      )
      if (pushed === undefined) return
      await check('verify finds nothing on the new primary', async () => {
        await waitFor(async () => {
          const name = await nodes.switchWal()
          return waitFor(async () => (await nodes.archived([name])).length === 1, 10_000)
        }, 120_000)
        return [true, (await nodes.verify(second)).trim()]
      })
      await check('both nodes and their disks are lost: a restore becomes a cluster again', async () => {
        cluster.startNode(first)
        await cluster.settled()
        const [row] = await nodes.query('select clock_timestamp()::text as at')
        const target = String(row?.at)
        const moment = Date.parse(target)
        const count = writer.count
        await waitFor(() => writer.count > count + 20, 30_000)
        await writer.stop()
        const last = await nodes.switchWal()
        await waitFor(async () => (await nodes.archived([last])).length === 1, 120_000)
        const began = performance.now()
        for (const name of [second, first]) cluster.killNode(name)
        const { url, stop } = await nodes.restoreTo(target)
        const rows = await ask(url, 'select mark from marks')
        const kept = writer.compare(moment, new Set(rows.map(({ mark }) => Number(mark))))
        await ask(url, 'alter system reset archive_mode')
        await stop()
        await nodes.rebuild()
        const seconds = ((performance.now() - began) / 1000).toFixed(1)
        // Its settings came with the backup.
        await nodes.expectArchiving()
        const history = await nodes.archiveHistories('db-a')
        await nodes.backrest('db-a', 'check')
        await nodes.backrest('db-a', '--type=full', '--no-expire-auto', 'backup')
        const said = (await nodes.verify('db-a')).trim()
        const more = writer.count
        writer.start()
        await waitFor(() => writer.count > more + 20, 30_000)
        return [
          kept,
          `${kept} acknowledged rows there; two nodes again after ${seconds} s, ${history}; ${said}`,
        ]
      })
    } finally {
      await writer.stop()
      await cluster.close()
      await repository.close()
      rmSync(work, { recursive: true, force: true })
    }
  },
}
