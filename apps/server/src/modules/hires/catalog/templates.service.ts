import type { TemplateFault } from '@crewhall/contracts/hires/refusals.ts'
import type { EmployeeTemplate } from '@crewhall/contracts/hires/template.ts'
import { packagesAmong } from '#modules/marketplace'
import { isKnownProfile } from '#modules/profiles'
import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { faultsOfTemplate } from './template.rules.ts'

/** An employee without a template cannot be hired, and may still be shown. */
export async function findFaults(
  ctx: SystemCtx,
  template: EmployeeTemplate | null,
): Promise<TemplateFault[]> {
  if (!template) return []
  const packages = await packagesAmong(ctx, template.packages)
  return faultsOfTemplate(template, { is_coder_profile: isKnownProfile(template.coder_profile), packages })
}
