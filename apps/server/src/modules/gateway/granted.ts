import type { ToolDefinition } from '@crewhall/contracts/tools/definitions.ts'
import type { BrandCtx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { CallResult } from './protocol.ts'

/** An installed package that a caller may use now. */
export interface GrantedPackage {
  readonly install_id: string
  readonly package_key: string
  readonly kind: 'builtin' | 'http'
  readonly version: string
}

/** Who may use what; marketplace knows. */
export interface GrantsOf<Granted extends GrantedPackage = GrantedPackage> {
  of(
    ctx: BrandCtx,
    caller: { readonly brand_id: number; readonly agent_id: string | null },
  ): Promise<readonly Granted[]>
}

export interface OutsideTool {
  readonly package: { readonly package_key: string }
  readonly definition: ToolDefinition
}

/** Tools of packages whose server somebody else runs. */
export interface OutsideTools<Granted extends GrantedPackage, Tool extends OutsideTool> {
  toolsOf(granted: readonly Granted[]): readonly Tool[]
  /** It ends by itself, and does not throw because of the other side. */
  call(
    ctx: OutsideBrandCtx,
    tool: Tool,
    args: unknown,
    signal: AbortSignal,
  ): Promise<{
    readonly result: CallResult
    readonly outcome: 'ok' | 'fault' | 'refused' | 'outage'
  }>
}

/** What is granted to a caller, and what of it is outside, behind one face that forgets the types of either. */
export interface Grants {
  of(ctx: OutsideBrandCtx, agent_id: string | null): Promise<GrantedTools>
}

export interface GrantedTools {
  readonly packages: readonly GrantedPackage[]
  readonly outside: readonly CallableTool[]
}

export interface CallableTool {
  readonly package_key: string
  readonly definition: ToolDefinition
  call(
    ctx: OutsideBrandCtx,
    args: unknown,
    signal: AbortSignal,
  ): ReturnType<OutsideTools<GrantedPackage, OutsideTool>['call']>
}

export const nothingGranted: GrantedTools = { packages: [], outside: [] }

export const grantsOf = <Granted extends GrantedPackage, Tool extends OutsideTool>(
  grants: GrantsOf<Granted>,
  outside: OutsideTools<Granted, Tool>,
): Grants => ({
  async of(ctx, agent_id) {
    const packages = await grants.of(ctx, { brand_id: ctx.brandId, agent_id })
    return {
      packages,
      outside: outside.toolsOf(packages).map((tool) => ({
        package_key: tool.package.package_key,
        definition: tool.definition,
        call: (ctx, args, signal) => outside.call(ctx, tool, args, signal),
      })),
    }
  },
})
