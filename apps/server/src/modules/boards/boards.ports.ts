import type { lessonOutages } from '@crewhall/contracts/boards/context.ts'
import type { MissingReason } from '@crewhall/contracts/boards/knew.ts'
import type { BrandCtx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import { port } from '#platform/modules/port.ts'

/** What a board may belong to. Without a provider there are no projects. */
export interface KnownProjects {
  /** Whether it is a project of this workspace, archived or not. */
  isProject(ctx: BrandCtx, project_id: string): Promise<boolean>
}

export const knownProjects = port<KnownProjects>('boards.known-projects')

export interface CardLesson {
  readonly id: string
  readonly type: string
  readonly pinned: boolean
  readonly stale: boolean
  /** Distance from the code that was named. */
  readonly hops: number
  readonly body: string
}

export interface FoundLessons {
  /** In the order in which they are told. */
  readonly lessons: readonly CardLesson[]
  readonly degraded: (typeof lessonOutages)[number] | null
}

/** What was learned about code. Without a provider there are no lessons. */
export interface CardLessons {
  /** Lessons near the code of a project that texts name. It walks a graph, so never inside a transaction. */
  lessonsNear(
    ctx: OutsideBrandCtx,
    asked: { readonly project_id: string; readonly texts: readonly string[]; readonly limit: number },
  ): Promise<FoundLessons>
}

export const cardLessons = port<CardLessons>('boards.card-lessons')

export interface CardMemory {
  readonly id: string
  readonly version: number
  readonly kind: string
  readonly title: string
  readonly body: string
  readonly stale: boolean
}

export interface FoundMemories {
  /** The best first. */
  readonly memories: readonly CardMemory[]
  readonly degraded: Extract<MissingReason, 'memory_unavailable' | 'embeddings_unavailable'> | null
}

/** What agents remember. Without a provider there is nothing. */
export interface CardMemories {
  /** Memories of an agent of the workspace about a text. It may ask a model for a vector, so never inside a transaction. */
  memoriesAbout(
    ctx: OutsideBrandCtx,
    asked: { readonly agent_id: string; readonly query: string; readonly limit: number },
  ): Promise<FoundMemories>
}

export const cardMemories = port<CardMemories>('boards.card-memories')
