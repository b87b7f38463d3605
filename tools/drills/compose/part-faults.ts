import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom, shuffled } from '@crewhall/testkit/seeded-random.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { DrillCheck, DrillSize } from '../drill.ts'
import { expectThat } from '../expect-that.ts'
import { CardWriters } from './card-writers.ts'
import { cut, type Fault, fillDisk, freeze, kill } from './container-faults.ts'
import type { Installation } from './installation.ts'

const parts = ['proxy', 'api-1', 'api-2', 'worker-1', 'pgbouncer', 'postgres', 'redis', 's3', 'mail']
/** Those that have to live through the faults of others. */
const product = ['api-1', 'api-2', 'worker-1', 'worker-2']
const fullRounds = 3
/** From the end of the fault until a card can be made again. */
const backWithinMs = 30_000

interface Blow {
  readonly part: string
  readonly what: string
  readonly fault: Fault
}

/** Each part of the running installation is broken while clients write: once, or in a full drill three times in each way. */
export async function breakParts(
  installation: Installation,
  disk: string,
  check: DrillCheck,
  size: DrillSize,
): Promise<void> {
  const seed = Number(process.env.DRILL_SEED ?? randomInt(1_000_000))
  const random = seededRandom(seed)
  const ways = { killed: kill, frozen: freeze, 'cut off': cut } as const
  const each = Object.entries(ways).map(([what, fault]) => ({ what, fault }))
  const full: Blow = { part: 'postgres', what: 'its disk full', fault: fillDisk(disk) }
  const once = parts.map((part): Blow => {
    const { what, fault } = each[Math.floor(random() * each.length)] ?? { what: 'killed', fault: kill }
    return { part, what, fault }
  })
  const all = each.flatMap(({ what, fault }) => parts.map((part): Blow => ({ part, what, fault })))
  const rounds = size === 'full' ? fullRounds : 1
  for (let round = 1; round <= rounds; round += 1)
    for (const blow of shuffled([...(size === 'full' ? all : once), full], random))
      await check(`${blow.part} ${blow.what}, round ${round} of ${rounds}`, async () => {
        const mark = `seed${seed}-${round}-${blow.part}-${blow.what.replaceAll(' ', '-')}`
        return [true, `seed ${seed}; ${await suffer(installation, blow, mark, random)}`]
      })
}

async function suffer(
  installation: Installation,
  { part, fault }: Blow,
  mark: string,
  random: () => number,
): Promise<string> {
  const others = product.filter((name) => name !== part)
  const pids = () => Promise.all(others.map((name) => installation.pidOf(name)))
  await installation.settle(180_000)
  const before = await pids()
  const writers = new CardWriters(installation.patient(20_000), mark)
  await writers.start()
  let backMs = 0
  try {
    await sleep(200 + 800 * random())
    const mend = await fault(installation, part)
    await sleep(1000 + 2000 * random())
    await mend()
    const began = performance.now()
    await waitFor(() => writers.write(), backWithinMs).catch(async () => {
      throw new Error(`nothing can be written\n${await installation.logsOf('api-1')}`)
    })
    backMs = performance.now() - began
  } finally {
    await writers.stop()
  }
  await verify(installation, mark, writers)
  expectThat(before.join() === (await pids()).join(), 'a process of the product was started again')
  const refused = [...writers.refused].map(([kind, count]) => `${count} × ${kind}`).join(', ') || 'none'
  return `0 of ${writers.acknowledged.length} acknowledged cards lost, refused: ${refused}; a card again after ${(backMs / 1000).toFixed(1)} s`
}

/** Every acknowledged card is there, none twice, and no derived value is wrong. */
async function verify(
  installation: Installation,
  mark: string,
  { acknowledged }: CardWriters,
): Promise<void> {
  const rows = await installation.ask(`select title from boards.cards where title like '${mark}-%'`)
  const found = rows.split('\n')
  const missing = acknowledged.filter((title) => !found.includes(title))
  expectThat(acknowledged.length > 0, 'no card was acknowledged')
  expectThat(missing.length === 0, `${missing.length} acknowledged cards are missing`)
  expectThat(new Set(found).size === found.length, 'a card is there twice')
  await installation.exec('worker-2', '/usr/local/bin/node', 'apps/server/src/verify-data.ts')
}
