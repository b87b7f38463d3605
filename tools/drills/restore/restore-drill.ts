import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRoot } from '@crewhall/services/debian-packages.ts'
import { findServiceFacts } from '@crewhall/services/facts.ts'
import type { Drill } from '../drill.ts'
import { BackedUpPostgres } from './backed-up-postgres.ts'
import { BackupRepository } from './backup-repository.ts'
import { findDamage } from './damage-checks.ts'
import { DrillProduct } from './drill-product.ts'
import { startHookReceiver } from './hook-receiver.ts'
import { Restoring } from './restoring.ts'
import { makeVersionedBucket } from './versioned-bucket.ts'

/** A table is dropped while writers write; the database is put back to the moment before, from a backup that pgBackRest made. */
export const restoreDrill: Drill = {
  name: 'restore',
  async obstacle() {
    if (!isRoot) return 'it needs root, for a Debian in a folder'
    return findServiceFacts() ? undefined : 'the services are not up: npm run services -- up'
  },
  async run(check) {
    const bucket = await makeVersionedBucket()
    const work = mkdtempSync(join(tmpdir(), 'restore-drill-'))
    const repository = await BackupRepository.open('restore-drill')
    const postgres = await BackedUpPostgres.make(work, repository)
    const receiver = await startHookReceiver()
    const product = new DrillProduct(postgres, bucket)
    const drill = new Restoring(postgres, product, receiver)
    try {
      await drill.prepare()
      await check('the unit makes a backup, verifies it and tells its age', () => drill.backUp())
      const isBack = await check(
        'every write acknowledged before the moment is there, and no row differs',
        () => drill.restore(),
      )
      if (isBack !== undefined) {
        await check('a second before the loss, with writers running, nothing acknowledged is missing', () =>
          drill.restoreLate(),
        )
        await check('the restored database is closed and sound', () => drill.close())
        await check('the restored server is archived beside what was there, before it serves', () =>
          drill.archive(),
        )
        await check('what ended after the moment stays dead', () => drill.signIn())
        await check('nobody comes in by what was withdrawn after the moment', () => drill.tryOffers())
        await check('a file deleted after the moment is there again', () => drill.readFile())
        await check('no reader goes on from a place of before, and none skips', () => drill.read())
        await check('no webhook and no letter goes out twice', () => drill.release())
      }
      await check('a damaged and a missing WAL file are found', () =>
        findDamage(postgres, repository.storage),
      )
    } finally {
      await drill.stop()
      await receiver.close()
      await postgres.close()
      await repository.close()
      await bucket.remove()
      rmSync(work, { recursive: true, force: true })
    }
  },
}
