import { removeEnded, sweepPeriods } from '@crewhall/contracts/hires/jobs.ts'
import { hireNotActive } from '@crewhall/contracts/hires/refusals.ts'
import type { JobSpec } from '@crewhall/contracts/job.ts'
import type { OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import type { JobRun, MountedJob } from '#platform/jobs/job-handler.ts'
import { probeHireEndRoutes } from './probe-hire-ends.contract.ts'
import { releaseNaively } from './probe-marketplace.routes.ts'

type OfHire = { readonly hire_id: string }
const isActive = brandStatement<OfHire, unknown>(
  (p) => sql`select 1 from hires.hires
   where brand_id = ${p.brand_id} and id = ${p.hire_id} and status = 'active'`,
)
const end = brandStatement<OfHire & { disabled: number; retained: number }, unknown>(
  (
    p,
  ) => sql`update hires.hires set status = 'canceled', canceled_at = platform.now(), effective_at = platform.now(),
     ended_at = platform.now(), installs_disabled = ${p.disabled}, installs_retained = ${p.retained}
   where brand_id = ${p.brand_id} and id = ${p.hire_id}`,
)

export const probeHireEndsMounted = (jobs: readonly MountedJob[]) => {
  // They keep no effects, so they need no more of their run than this.
  const runNow = async (ctx: OutsideSystemCtx, job: JobSpec) => {
    const found = jobs.find(({ spec }) => spec.name === job.name)
    await found?.run(ctx, {}, { signal: new AbortController().signal } as JobRun)
    return {}
  }
  return [
    handle(probeHireEndRoutes.sweepPeriodsNow, (ctx) => runNow(ctx, sweepPeriods)),
    handle(probeHireEndRoutes.removeEndedNow, (ctx) => runNow(ctx, removeEnded)),
    handle(probeHireEndRoutes.cancelHireNaively, (ctx, { params: { hire_id } }) =>
      ctx.tx(async (ctx) => {
        if (!(await ctx.db.first(isActive, { hire_id }))) throw hireNotActive()
        const { disabled, retained } = await releaseNaively(ctx, hire_id)
        await ctx.db.run(end, { hire_id, disabled, retained })
        return { installs_disabled: disabled, installs_retained: retained }
      }),
    ),
  ]
}
