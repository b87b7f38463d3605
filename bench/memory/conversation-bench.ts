import { startStandInModel } from '@crewhall/testkit/stand-in-model.ts'
import type { CheckLine } from './check-line.ts'
import { checkExtraction, checkOwnNoise } from './extraction-check.ts'
import { MemoryHost } from './memory-host.ts'
import { PickUps } from './pick-ups.ts'

/** How much of each check. */
export interface ConversationSizes {
  readonly transcripts: number
  readonly noisy: number
}
export const wholeSizes: ConversationSizes = { transcripts: 60, noisy: 30 }
export const shortSizes: ConversationSizes = { transcripts: 9, noisy: 4 }

type Check = (pickUps: PickUps, sizes: ConversationSizes) => Promise<CheckLine | CheckLine[]>
/** By name, in the order in which they run. */
const checks: Readonly<Record<string, Check>> = {
  extraction: (pickUps, { transcripts }) => checkExtraction(pickUps, transcripts),
  'own noise': (pickUps, { noisy }) => checkOwnNoise(pickUps, noisy),
}

/** From conversations to memories: one database, one worker, and a model at the wire that does what a check tells it. */
export async function benchConversations(sizes: ConversationSizes, only?: RegExp): Promise<CheckLine[]> {
  const wanted = Object.entries(checks).filter(([name]) => only?.test(name) !== false)
  if (wanted.length === 0) return []
  const host = await MemoryHost.open()
  const model = await startStandInModel()
  const lines: CheckLine[] = []
  let pickUps: PickUps | undefined
  try {
    // Limits of spending have a check of their own.
    const unlimited = { CONVERSATIONS_DAILY_CALLS: '0', CONVERSATIONS_DAILY_TOKENS: '0' }
    pickUps = await PickUps.open(host, model, unlimited)
    await pickUps.startWorker()
    for (const [name, check] of wanted) {
      const began = performance.now()
      lines.push(...[await check(pickUps, sizes)].flat())
      console.error(`${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`)
    }
    return lines
  } finally {
    await pickUps?.close()
    await host.close()
    await model.close()
  }
}
