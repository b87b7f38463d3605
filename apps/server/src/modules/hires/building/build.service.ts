import { type BuildStep, buildSteps } from '@crewhall/contracts/hires/hires.ts'
import { buildHire } from '@crewhall/contracts/hires/jobs.ts'
import { endHiredSources } from '#modules/conversations'
import { listAgentsAmong } from '#modules/identity'
import { releaseReferences } from '#modules/marketplace'
import type { BrandTx, OutsideBrandCtx, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { JobRun } from '#platform/jobs/job-handler.ts'
import { directoryOf, waitAfter } from './build.rules.ts'
import * as store from './builds.store.ts'
import { isUnexpected, reasonOf } from './step-failure.service.ts'
import { type Build, type BuildDeps, type Made, type Outcome, works } from './steps.service.ts'

export type { BuildDeps } from './steps.service.ts'

interface Order {
  readonly brand_id: number
  readonly hire_id: string
  readonly after_failures?: number | undefined
}

/** Somebody else builds the hire by now. */
class Overtaken extends Error {}

/**
 * HIRE-17, HIRE-G5: builds a hire from its first step that is not done. Every step is one commit with its note in the
 * ledger, while the epoch of the build is the one that this run has claimed. A hire may have several jobs (a retry by hand,
 * one that was taken for lost), which the fence of a single job could not tell apart.
 */
export async function build(
  system: OutsideSystemCtx,
  deps: BuildDeps,
  { brand_id, hire_id, after_failures }: Order,
  { signal }: Pick<JobRun, 'signal'>,
): Promise<void> {
  const ctx = system.forBrand(brand_id)
  const claimed = await store.claimBuild(ctx, hire_id, after_failures ?? null)
  if (!claimed) return
  await ctx.faultPoint('hires.claimed')
  try {
    await buildSteppingOn(ctx, deps, claimed, signal)
  } catch (error) {
    if (!(error instanceof Overtaken)) throw error
    ctx.log.info({ hire_id }, 'another worker builds this hire')
    await clearAfterEnd(ctx, deps, hire_id)
  }
}

async function buildSteppingOn(
  ctx: OutsideBrandCtx,
  deps: BuildDeps,
  row: store.BuildRow,
  signal: AbortSignal,
): Promise<void> {
  const { template } = row
  if (!template) throw new Error('a hire refers to an employee without a template')
  if (row.agent_id !== null && (await listAgentsAmong(ctx, [row.agent_id])).length === 0)
    await startOver(ctx, row)
  const ledger = new Map((await store.listLedger(ctx, row.id)).map((each) => [each.step, each]))
  let made: Made = {}
  for (const step of buildSteps) {
    const noted = ledger.get(step)
    const isOver = noted?.status === 'done' || noted?.status === 'skipped'
    // Handed back: whoever takes it over goes on here.
    if (!isOver) signal.throwIfAborted()
    const given = isOver ? noted.made : await takeOrFail(ctx, deps, { ...row, template, made }, step, signal)
    if (given === 'failed') return
    made = { ...made, ...(given ? { [step]: given } : {}) }
  }
}

/** Plans of faults know no underscores. */
const pointOf = (step: BuildStep): string => `hires.${step.replace('_', '-')}`

async function takeOrFail(
  ctx: OutsideBrandCtx,
  deps: BuildDeps,
  build: Build,
  step: BuildStep,
  signal: AbortSignal,
): Promise<Made[keyof Made] | 'failed'> {
  try {
    const outcome = await take(ctx, deps, build, step)
    await ctx.faultPoint(`${pointOf(step)}.done`)
    return outcome.status === 'done' ? outcome.made : undefined
  } catch (error) {
    const reason = reasonOf(error)
    if (error instanceof Overtaken || reason === undefined || signal.aborted) throw error
    if (isUnexpected(error)) ctx.log.error({ error, step }, 'a step of a build has failed')
    await noteFailure(ctx, build, step, reason)
    return 'failed'
  }
}

async function take(ctx: OutsideBrandCtx, deps: BuildDeps, build: Build, step: BuildStep): Promise<Outcome> {
  const commit = await works[step](ctx, deps, build)
  await ctx.faultPoint(`${pointOf(step)}.prepared`)
  return ctx.tx(async (ctx) => {
    let outcome: Outcome | undefined
    await commit(ctx, {
      hold: () => hold(ctx, build),
      async settle(given) {
        outcome = given
        await noteStep(ctx, build, step, given)
      },
    })
    if (!outcome) throw new Error(`the step ${step} was not settled`)
    await ctx.faultPoint(pointOf(step))
    return outcome
  })
}

async function hold(ctx: BrandTx, build: store.BuildRow): Promise<void> {
  if (!(await store.lockBuild(ctx, build))) throw new Overtaken()
}

async function noteStep(
  ctx: BrandTx,
  { id, profile_id }: store.BuildRow,
  step: BuildStep,
  outcome: Outcome,
): Promise<void> {
  const { status } = outcome
  const reason = status === 'skipped' ? outcome.reason : null
  const made = status === 'done' ? outcome.made : undefined
  await store.updateStep(ctx, { id, step, status, reason, made })
  const facts = { hire_id: id, profile_id, status: 'provisioning' } as const
  await ctx.emit({ type: 'hire.step', subject_id: id, data: { ...facts, step, step_status: status } })
}

/** The reason is shown, and the hire stays as it is until a later try gets further. */
const noteFailure = (
  ctx: OutsideBrandCtx,
  build: store.BuildRow,
  step: BuildStep,
  reason: string,
): Promise<void> =>
  ctx.tx(async (ctx) => {
    await hold(ctx, build)
    const { id, profile_id } = build
    const failures = build.failures + 1
    await store.updateStep(ctx, { id, step, status: 'failed', reason, made: undefined })
    const next = await store.updateFailed(ctx, id, { reason, seconds: waitAfter(failures) })
    if (next === undefined) throw new Overtaken()
    const order = { brand_id: ctx.brandId, hire_id: id, after_failures: failures }
    await ctx.enqueue(buildHire, order, { run_at: new Date(next) })
    await ctx.faultPoint('hires.failed')
    const facts = { hire_id: id, profile_id, status: 'provisioning' } as const
    await ctx.emit({ type: 'hire.build_failed', subject_id: id, data: { ...facts, step, failures } })
  })

/** Somebody has retired the agent before the hire was active. What it had goes, and the next one gets its own. */
const startOver = (ctx: OutsideBrandCtx, build: store.BuildRow): Promise<void> =>
  ctx.tx(async (ctx) => {
    await hold(ctx, build)
    const ledger = await store.listLedger(ctx, build.id)
    const sources = ledger.find(({ step }) => step === 'sources')?.made as Made['sources'] | null
    await releaseReferences(ctx, build.id)
    await store.updateAgent(ctx, build.id, null)
    await store.updateStepsReset(ctx, build.id, ['agent', 'sources', 'tools', 'desk'])
    await endHiredSources(ctx, sources?.source_ids ?? [])
  })

/** A worker that slept may have put the directory in its place after the hire had ended or was erased. */
async function clearAfterEnd(ctx: OutsideBrandCtx, deps: BuildDeps, hire_id: string): Promise<void> {
  if (!deps.directories || (await store.isRunning(ctx, hire_id))) return
  await deps.directories.remove(ctx, directoryOf(ctx.brandId, hire_id))
}
