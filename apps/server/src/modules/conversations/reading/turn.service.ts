import type { OwnTexts } from '@crewhall/contracts/memory/own-texts.ts'
import type { BrandTx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import { type FindOwnTexts, storePortion, transcriptOf } from '../intake/intake.service.ts'
import { namedOf, type Portion } from '../intake/portion.ts'
import { openConfig } from '../sources/sealed-config.ts'
import { auditPause, tellPaused } from '../sources/sources.service.ts'
import type { Message } from '../transcripts/transcript.rules.ts'
import * as store from './reading.store.ts'
import { type FoundConversation, type Readers, type Step, Unreadable } from './source-reader.ts'
import {
  isSpent,
  mostLosses,
  secondsBetweenReads,
  type TurnLimits,
  turnLimits,
  waitAfter,
} from './turn.rules.ts'
import { untilAborted } from './until-aborted.ts'

export type { DueReading, Reading } from './reading.store.ts'

export interface TurnDeps {
  readonly readers: Readers
  readonly secret_box: SecretBox
  readonly findOwnTexts: FindOwnTexts
  readonly limits?: TurnLimits
}

/** Another worker has the source by now, or it was paused, changed or deleted. Nothing more must be written. */
class TurnLost extends Error {}

/** Every step renews it. A worker that is silent for longer is dead, and another one may start. */
const leaseSeconds = 300
/** Longer than any step of a healthy reader. */
const turnMs = 60_000

export const claimTurn = (ctx: OutsideBrandCtx, source_id: string) =>
  store.claimReading(ctx, source_id, leaseSeconds)

/** Reads on where the last turn has stopped. Returns whether anything was stored. Never throws because of a reader. */
export async function takeTurn(
  ctx: OutsideBrandCtx,
  deps: TurnDeps,
  reading: store.Reading,
  stopped: AbortSignal,
): Promise<boolean> {
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(turnMs)])
  const turn = { stored: 0, steps: 0 }
  await ctx.faultPoint('reading.claimed')
  try {
    if (reading.losses >= mostLosses) throw workerEnded(reading.losses)
    const skipped = await readOn(ctx, deps, reading, turn, signal)
    await endTurn(ctx, reading, skipped)
  } catch (error) {
    if (error instanceof TurnLost)
      ctx.log.warn({ source_id: reading.id }, 'a source is no longer ours to read')
    // What was stored stays; what is left is for the next turn.
    else if (signal.aborted && (turn.steps > 0 || stopped.aborted)) await endTurn(ctx, reading, undefined)
    else await failTurn(ctx, reading, signal.aborted ? tooSlow() : unreadableOf(ctx, reading, error))
  }
  return turn.stored > 0
}

type Skipped = Readonly<Record<string, number>>

/** Returns what was left out once the pass is complete; undefined if there is more to read. */
async function readOn(
  ctx: OutsideBrandCtx,
  { readers, secret_box, findOwnTexts, limits = turnLimits }: TurnDeps,
  reading: store.Reading,
  turn: { stored: number; steps: number },
  signal: AbortSignal,
): Promise<Skipped | undefined> {
  const { id, agent_id, source_type, position } = reading
  const reader = reading.reader === null ? undefined : readers[reading.reader]
  if (!reader) throw new Error(`nobody reads ${reading.reader}`)
  const config = openConfig(secret_box, ctx.brandId, id, reading.config)
  if (!config) throw settingsLost()
  const own = await findOwnTexts(ctx, agent_id)
  const marks = {
    find: async (keys: readonly string[]) =>
      new Map((await store.listMarks(ctx, id, keys)).map(({ key, mark }) => [key, mark])),
  }
  const spent = { steps: 0, messages: 0, bytes: 0 }
  let skipped: Skipped = {}
  const steps = reader.read(ctx, { id, agent_id, source_type, config }, { position, marks }, signal)
  for await (const step of untilAborted(steps, signal)) {
    const filtered = step.conversation && (await filter(reading, step.conversation, own))
    turn.stored += await storeStep(ctx, reading, step, filtered)
    turn.steps += 1
    skipped = step.skipped ?? skipped
    await ctx.faultPoint('reading.stored')
    spent.steps += 1
    spent.messages += filtered?.portion.part.messages.length ?? 0
    spent.bytes += step.conversation ? bytesOf(step.conversation) : 0
    if (isSpent(spent, limits) && step.skipped === undefined) return undefined
  }
  return skipped
}

interface Filtered {
  readonly portion: Portion
  readonly left: Readonly<Record<string, number>>
}

/** The same filter as for conversations that are sent. */
async function filter(
  { source_type }: store.Reading,
  { key, content }: FoundConversation,
  own: OwnTexts,
): Promise<Filtered> {
  const portionOf = async (messages: readonly Message[], place?: string): Promise<Portion> => ({
    external_id: key,
    part: { by: 'id', messages: await namedOf(messages, own, place) },
  })
  if ('messages' in content) return { portion: await portionOf(content.messages), left: {} }
  if (source_type === 'agentboard') throw new Error('a source of tasks has no session files')
  const { messages, skipped, is_cut } = transcriptOf(source_type, content.native)
  // The reader gives whole lines only, so the last one is broken as any other.
  const broken_line = (skipped.broken_line ?? 0) + Number(is_cut)
  return { portion: await portionOf(messages, content.place), left: { broken_line } }
}

const bytesOf = ({ content }: FoundConversation): number =>
  'native' in content
    ? content.native.length
    : content.messages.reduce((sum: number, { text }: Message) => sum + text.length, 0)

/** What was read and how far is one commit, so a crash neither loses nor doubles anything. */
const storeStep = (
  ctx: OutsideBrandCtx,
  reading: store.Reading,
  { conversation, position }: Step,
  filtered: Filtered | undefined,
): Promise<number> =>
  ctx.tx(async (ctx) => {
    await hold(ctx, reading)
    await store.updatePosition(ctx, reading.id, position, leaseSeconds)
    if (!conversation || !filtered) return 0
    const { portion, left } = filtered
    const { row, stored } = await storePortion(ctx, reading.id, portion, { isLenient: true, left })
    await store.updateMark(ctx, row.id, conversation.mark)
    return stored
  })

const endTurn = (ctx: OutsideBrandCtx, reading: store.Reading, skipped: Skipped | undefined): Promise<void> =>
  unlessLost(
    ctx.tx(async (ctx) => {
      await hold(ctx, reading)
      await store.updateEnded(ctx, {
        id: reading.id,
        wait_seconds: skipped ? secondsBetweenReads : 0,
        skipped: skipped ? JSON.stringify(skipped) : null,
      })
    }),
  )

const failTurn = (
  ctx: OutsideBrandCtx,
  reading: store.Reading,
  { reason, pauses, told }: Unreadable,
): Promise<void> =>
  unlessLost(
    ctx.tx(async (ctx) => {
      const { id } = reading
      const before = await hold(ctx, reading)
      const failures = reading.read_failures + 1
      const wait_seconds = waitAfter({ failures, pauses })
      await store.updateFailed(ctx, { id, failures, reason, wait_seconds: wait_seconds ?? 0 })
      if (wait_seconds !== undefined) return
      const paused = await store.updatePaused(ctx, id, told)
      if (!paused) return
      await tellPaused(ctx, paused)
      await auditPause(ctx, before, paused)
    }),
  )

async function hold(ctx: BrandTx, reading: store.Reading) {
  const row = await store.lockReading(ctx, reading)
  if (!row) throw new TurnLost()
  return row
}

async function unlessLost(work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof TurnLost)) throw error
  }
}

function unreadableOf(ctx: OutsideBrandCtx, { id }: store.Reading, error: unknown): Unreadable {
  if (error instanceof Unreadable) return error
  ctx.log.error({ error, source_id: id }, 'reading a source has failed')
  return new Unreadable('reader_failed', 'never', 'Reading has failed', { cause: error })
}
const tooSlow = () => new Unreadable('too_slow', 'never', 'Reading takes too long')
const settingsLost = () =>
  new Unreadable('settings_unreadable', 'now', 'Its settings can no longer be opened; send them again')
const workerEnded = (losses: number) =>
  new Unreadable('worker_ended', 'now', `Reading it has ended its worker ${losses} times in a row`)
