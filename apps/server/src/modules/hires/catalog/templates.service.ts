import type { TemplateFault } from '@crewhall/contracts/hires/refusals.ts'
import type { EmployeeTemplate } from '@crewhall/contracts/hires/template.ts'
import { isKnownProfile } from '#modules/profiles'
import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { faultsOfTemplate } from './template.rules.ts'

/** Which of these packages exist. */
export type PackagesAmong = (ctx: SystemCtx, keys: readonly string[]) => Promise<ReadonlySet<string>>

export interface CatalogDeps {
  readonly packagesAmong: PackagesAmong
}

/** An employee without a template cannot be hired, and may still be shown. */
export async function findFaults(
  ctx: SystemCtx,
  { packagesAmong }: CatalogDeps,
  template: EmployeeTemplate | null,
): Promise<TemplateFault[]> {
  if (!template) return []
  const packages = await packagesAmong(ctx, template.packages)
  return faultsOfTemplate(template, { is_coder_profile: isKnownProfile(template.coder_profile), packages })
}
