import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { port } from '#platform/modules/port.ts'

/** What a board may belong to. Without a provider there are no projects. */
export interface KnownProjects {
  /** Whether it is a project of this workspace, archived or not. */
  isProject(ctx: BrandCtx, project_id: string): Promise<boolean>
}

export const knownProjects = port<KnownProjects>('boards.known-projects')
