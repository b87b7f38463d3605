import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { startStandInModel } from '@crewhall/testkit/stand-in-model.ts'
import type { CheckLine } from './check-line.ts'
import { checkConsolidation } from './consolidation-check.ts'
import { checkCorrections } from './correction-check.ts'
import { checkExport, type ExportSizes } from './export-check.ts'
import { checkExtraction, checkOwnNoise } from './extraction-check.ts'
import { checkKills, type KillSizes } from './kill-check.ts'
import { checkLadder } from './ladder-check.ts'
import { checkLoad, type LoadSizes } from './load-check.ts'
import { checkLoop } from './loop-check.ts'
import { MemoryHost } from './memory-host.ts'
import { checkPairs } from './pairs-check.ts'
import { PickUps } from './pick-ups.ts'
import { checkSecrets } from './secrets-check.ts'
import { checkSpendCap } from './spend-check.ts'
import { checkSuperseding } from './superseding-check.ts'

/** How much of each check. */
export interface ConversationSizes {
  readonly transcripts: number
  readonly noisy: number
  readonly load: LoadSizes
  readonly rounds: number
  /** Of each set. */
  readonly pairs: number
  readonly things: number
  readonly groups: number
  readonly kills: KillSizes
  readonly queued: number
  readonly export: ExportSizes
  /** Whether times count. */
  readonly is_judged: boolean
}
export const wholeSizes: ConversationSizes = {
  transcripts: 60,
  noisy: 30,
  load: { conversations: 500, messages: 50 },
  rounds: 20,
  pairs: 200,
  things: 10,
  groups: 20,
  kills: { conversations: 30, kills: 3 },
  queued: 1000,
  export: { files: 500, runs_tests: true },
  is_judged: true,
}
export const shortSizes: ConversationSizes = {
  transcripts: 9,
  noisy: 4,
  load: { conversations: 12, messages: 50 },
  rounds: 2,
  pairs: 10,
  things: 2,
  groups: 3,
  kills: { conversations: 6, kills: 1 },
  queued: 60,
  export: { files: 40, runs_tests: false },
  is_judged: false,
}

interface Bed {
  readonly pickUps: PickUps
  readonly sizes: ConversationSizes
  /** Where files of agents are written. */
  readonly dir: string
}
type Check = (bed: Bed, worker: ServerProcess) => Promise<CheckLine | CheckLine[]>

/** With the built-in model of vectors, by name and in the order in which they run. */
const withVectors: Readonly<Record<string, Check>> = {
  extraction: ({ pickUps, sizes }) => checkExtraction(pickUps, sizes.transcripts),
  'own noise': ({ pickUps, sizes }) => checkOwnNoise(pickUps, sizes.noisy),
  loop: ({ pickUps, sizes }) => checkLoop(pickUps, sizes.rounds),
  corrections: ({ pickUps }) => checkCorrections(pickUps),
  pairs: ({ pickUps, sizes }) => checkPairs(pickUps, sizes.pairs),
  superseding: ({ pickUps, sizes }) => checkSuperseding(pickUps, sizes.things),
  consolidation: ({ pickUps, sizes }) => checkConsolidation(pickUps, sizes.groups),
}
/** Without it, because vectors have no part in them, and with files of agents. The last ones move the clock by hours. */
const withFiles: Readonly<Record<string, Check>> = {
  secrets: ({ pickUps, dir }, worker) => checkSecrets(pickUps, worker, dir),
  export: ({ pickUps, dir, sizes }) => checkExport(pickUps, dir, sizes.export),
  ladder: ({ pickUps }) => checkLadder(pickUps),
  kills: ({ pickUps, sizes }) => checkKills(pickUps, sizes.kills),
  spending: ({ pickUps, sizes }) => checkSpendCap(pickUps, sizes.queued),
}

/** By itself, because its time counts. */
const measured: Readonly<Record<string, Check>> = {
  load: ({ pickUps, sizes }) => checkLoad(pickUps, sizes.load, sizes.is_judged),
}

/** From conversations to memories. No time counts in the first two groups, and the second mostly waits, so they share it. */
export async function benchConversations(sizes: ConversationSizes, only?: RegExp): Promise<CheckLine[]> {
  const bench = (checks: Readonly<Record<string, Check>>, hasFiles = false) => {
    const wanted = Object.entries(checks).filter(([name]) => only?.test(name) !== false)
    return wanted.length === 0 ? [] : benchGroup(wanted, sizes, hasFiles)
  }
  const lines = (await Promise.all([bench(withVectors), bench(withFiles, true)])).flat()
  return [...lines, ...(await bench(measured))]
}

/** One database, one worker, and a model at the wire that does what a check tells it. */
async function benchGroup(
  checks: readonly (readonly [string, Check])[],
  sizes: ConversationSizes,
  hasFiles: boolean,
): Promise<CheckLine[]> {
  const host = await MemoryHost.open()
  const model = await startStandInModel()
  const dir = mkdtempSync(join(tmpdir(), 'crewhall-bench-agents-'))
  const lines: CheckLine[] = []
  let pickUps: PickUps | undefined
  try {
    // Limits of spending have a check of their own.
    const unlimited = {
      CONVERSATIONS_DAILY_CALLS: '0',
      CONVERSATIONS_DAILY_TOKENS: '0',
      RECALL_DAILY_CALLS: '0',
      RECALL_DAILY_TOKENS: '0',
    }
    // As an installation without settings has it; no search is hurried.
    const vectors = { EMBEDDINGS: 'offline', EMBEDDINGS_QUERY_TIMEOUT_MS: '60000' }
    pickUps = await PickUps.open(host, model, { ...unlimited, ...vectors })
    const settings = hasFiles ? { EMBEDDINGS: 'off', AGENT_FILES_DIR: dir } : {}
    for (const [name, check] of checks) {
      const began = performance.now()
      lines.push(...[await check({ pickUps, sizes, dir }, await pickUps.onlyWorker(settings))].flat())
      console.error(`${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`)
    }
    return lines
  } finally {
    await pickUps?.close()
    await host.close()
    await model.close()
    rmSync(dir, { recursive: true, force: true })
  }
}
