import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createDatabase } from '@crewhall/testkit/databases.ts'
import type { Drill, DrillSize } from '../drill.ts'
import { Fleet } from '../load/fleet.ts'
import { Load } from './load.ts'
import { obstacleToPrevious, previous, root, withPrevious } from './previous-checkout.ts'

/** Of a full bench, which has a million cards. */
const scales: Readonly<Record<DrillSize, number>> = { short: 0.02, usual: 0.02, full: 1 }
const steadyMs = 5000
/** Its workers do not wait for the answers to what they have sent. */
const takesBack = previous.version === '0.1.0'

/** From the last release to this one and back, process by process, while people work. */
export const upgradeDrill: Drill = {
  name: 'upgrade',
  obstacle: obstacleToPrevious,
  run: (check, size) =>
    withPrevious(async (folder) => {
      const database = await createDatabase(`t_upgrade_${randomBytes(5).toString('hex')}`)
      const fleet = await Fleet.open(database)
      try {
        const before = await check(`version ${previous.version} serves, with its cards`, async () => {
          await fleet.migrate(folder)
          const cards = await seed(folder, database.name, scales[size])
          for (const kind of ['worker', 'worker', 'api', 'api'] as const) await fleet.start(folder, kind)
          return [cards, `${cards} cards`]
        })
        if (before === undefined) return
        const load = await Load.begin(fleet.balancer.url, database)
        await load.goOn(steadyMs)
        await check('migrate, workers, API: to this version', async () => {
          const began = performance.now()
          await fleet.migrate(root)
          const migrated = performance.now()
          await fleet.replace(root, 'worker')
          await fleet.replace(root, 'api')
          const seconds = [migrated - began, performance.now() - migrated].map((ms) => (ms / 1000).toFixed(1))
          await load.goOn(steadyMs)
          load.passHandOver()
          return [true, `migration ${seconds[0]} s, processes ${seconds[1]} s, ${load.summary()}`]
        })
        await check('API, workers: back to the last version, on the new tables', async () => {
          const began = performance.now()
          await fleet.replace(folder, 'api')
          await fleet.replace(folder, 'worker')
          const seconds = ((performance.now() - began) / 1000).toFixed(1)
          await load.goOn(steadyMs)
          return [true, `${seconds} s, ${load.summary()}`]
        })
        await load.end()
        await check('nobody was turned away', async () => {
          const { faults } = load
          if (faults.length > 0) throw new Error(`${faults.length} faults\n${faults.slice(0, 20).join('\n')}`)
          return [0, load.summary()]
        })
        await check('no acknowledged write is lost', () => load.findLost())
        await check('streams went on without gap or repetition', () => load.compareStreams())
        await check('each delivery was made once', () => load.countDeliveries(takesBack))
      } finally {
        await fleet.close()
        await database.drop()
      }
    }),
}

/** With its own statements: the tables of its version. */
async function seed(folder: string, database: string, scale: number): Promise<number> {
  const file = pathToFileURL(join(folder, 'packages/testkit/src/seeded-boards.ts')).href
  const { seedBoards, sizesOf } = (await import(file)) as typeof import('@crewhall/testkit/seeded-boards.ts')
  const sizes = sizesOf(scale)
  // The feed of ten years would only be waited for.
  await seedBoards(database, { ...sizes, entries: Math.ceil(sizes.entries / 10) })
  return sizes.cards
}
