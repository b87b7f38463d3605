import { checkInstalls } from '@crewhall/contracts/marketplace/jobs.ts'
import { preparePackages, releaseReferences, takeReferences } from '#modules/marketplace'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'
import { handle, handleInPhases } from '#platform/http/handle.ts'
import type { JobRun, MountedJob } from '#platform/jobs/job-handler.ts'
import type { Parts } from '../../src/parts.ts'
import { probeMarketplaceRoutes } from './probe-marketplace.contract.ts'

type Hire = { readonly brand_id: number; readonly hire_id: string }

const remove = statement<Hire, { package_key: string }>(
  (p) => sql`delete from marketplace.install_refs where brand_id = ${p.brand_id} and hire_id = ${p.hire_id}
   returning package_key`,
)
const turnOff = statement<{ brand_id: number; keys: readonly string[] }, unknown>(
  (p) => sql`update marketplace.installs i set is_enabled = false
   where brand_id = ${p.brand_id} and package_key = any(${p.keys}::text[]) and origin = 'hire' and is_enabled
     and not exists (select from marketplace.install_refs r
       where r.brand_id = ${p.brand_id} and r.package_key = i.package_key)`,
)

/** Counts without a lock. */
export async function releaseNaively(ctx: BrandTx, hire_id: string) {
  const place = { brand_id: ctx.brandId }
  const keys = (await ctx.db.all(remove, { ...place, hire_id })).map(({ package_key }) => package_key)
  const disabled = await ctx.db.run(turnOff, { ...place, keys })
  return { disabled, retained: keys.length - disabled }
}

export const probeMarketplaceMounted = ({ secret_box }: Parts, jobs: readonly MountedJob[]) => [
  handle(probeMarketplaceRoutes.checkInstallsNow, async (ctx) => {
    const checking = jobs.find(({ spec }) => spec.name === checkInstalls.name)
    // It keeps no effects, so it needs no more of its run than this.
    await checking?.run(ctx, {}, { signal: new AbortController().signal } as JobRun)
    return {}
  }),
  handleInPhases(probeMarketplaceRoutes.takeReferencesOfHire, {
    before: (ctx, { body }) =>
      preparePackages(
        ctx,
        { secret_box, listTools: () => Promise.reject(new Error('no package here has a server')) },
        body.packages,
      ),
    run: (ctx, { params: { hire_id }, body: { agent_id, packages } }, prepared) =>
      ctx.tx(async (ctx) => {
        await takeReferences(ctx, { hire_id, agent_id }, packages, prepared)
        return {}
      }),
  }),
  handle(probeMarketplaceRoutes.releaseReferencesOfHire, (ctx, { params: { hire_id }, query }) =>
    ctx.tx(async (ctx) => {
      return query.naive ? releaseNaively(ctx, hire_id) : releaseReferences(ctx, hire_id)
    }),
  ),
]
