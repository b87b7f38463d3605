import type { BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { brandMarkJob, carelessBrandMarkJob, markJob } from './probe.contract.ts'

const insertThing = brandStatement<{ name: string }, unknown>(
  (p) => sql`insert into probe.things (brand_id, name) values (${p.brand_id}, ${p.name})`,
)

/** Everything that a job may do in a workspace, so that a test can count each part of it. */
async function markBrand(ctx: BrandTx, key: string): Promise<void> {
  await ctx.db.run(insertThing, { name: key })
  await ctx.enqueue(markJob, { key, enqueued_at: 0 })
  await ctx.emit({
    type: 'member.added',
    subject_id: key,
    data: { user_id: 1, role: 'member', via: 'invitation' },
  })
  await ctx.audit({ action: 'probe.marked', target: `mark:${key}`, from: null, to: null })
}

export const probeBrandJobsOf = () => [
  onJob(brandMarkJob, async (_, { brand_id, key }, run) => {
    await run.onceIn(brand_id, `mark:${key}`, (ctx) => markBrand(ctx, key))
  }),
  onJob(carelessBrandMarkJob, async (ctx, { brand_id, key }) => {
    await ctx.faultPoint('probe.careless')
    await ctx.forBrand(brand_id).tx((tx) => markBrand(tx, key))
    await ctx.faultPoint('probe.marked')
  }),
]
