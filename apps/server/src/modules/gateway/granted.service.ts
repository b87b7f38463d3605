import type { Grants } from '#modules/marketplace'
import type { BrandCtx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { GrantedPackage, OutsideTool } from './proxied/outside-tools.rules.ts'
import type { Proxied } from './proxied/proxied.service.ts'

export interface GrantDeps {
  readonly grants: Grants
  readonly proxied: Proxied
}

/** What was granted to a caller. */
export interface GrantedTools {
  readonly packages: readonly GrantedPackage[]
  readonly outside: readonly OutsideTool[]
}

export const nothingGranted: GrantedTools = { packages: [], outside: [] }

/** The agent that a token is bound to. */
export const agentOf = ({ actor }: BrandCtx): string | null =>
  actor.kind === 'person' ? actor.agent_id : null

export async function listGrantedTools(
  ctx: OutsideBrandCtx,
  { grants, proxied }: GrantDeps,
): Promise<GrantedTools> {
  const packages = await grants.of(ctx, { brand_id: ctx.brandId, agent_id: agentOf(ctx) })
  return { packages, outside: proxied.toolsOf(packages) }
}
