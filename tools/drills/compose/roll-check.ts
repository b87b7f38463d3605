import type { DrillCheck } from '../drill.ts'
import { expectThat } from '../expect-that.ts'
import { CardWriters } from './card-writers.ts'
import type { Installation } from './installation.ts'

/** The order of docs/production.md, with the same images: what it costs does not depend on what is new in them. */
const order = ['worker-1', 'worker-2', 'api-1', 'api-2']

/** Containers are replaced one after the other while clients write. */
export async function checkRolling(installation: Installation, check: DrillCheck): Promise<void> {
  await check('an upgrade as the page says: each container is replaced, nobody is turned away', async () => {
    const writers = new CardWriters(installation.patient(20_000), 'rolling')
    const began = performance.now()
    await writers.start()
    try {
      await installation.migrate()
      for (const service of order) {
        const before = await installation.pidOf(service)
        await installation.replace(service)
        expectThat((await installation.pidOf(service)) !== before, `${service} was not replaced`)
      }
    } finally {
      await writers.stop()
    }
    const seconds = ((performance.now() - began) / 1000).toFixed(0)
    const refused = [...writers.refused].map(([kind, count]) => `${count} × ${kind}`)
    expectThat(writers.acknowledged.length > 100, `only ${writers.acknowledged.length} cards were made`)
    expectThat(refused.length === 0, `refused: ${refused.join(', ')}`)
    return [true, `${writers.acknowledged.length} cards in ${seconds} s, none refused`]
  })
}
