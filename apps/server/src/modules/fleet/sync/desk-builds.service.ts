import type { BuildDesk, BuildSettings } from '@crewhall/contracts/profiles/build-settings.ts'
import { settingsOfBuild } from '#modules/profiles'
import type { BrandCtx } from '#platform/ctx/ctx.ts'

interface Asked {
  readonly agent_context: { readonly profile?: unknown }
  readonly desk: BuildDesk
}

export const readBuildSettings = (ctx: BrandCtx, { agent_context, desk }: Asked): Promise<BuildSettings> =>
  settingsOfBuild(ctx, { profile: agent_context.profile, desk })
