import {
  type CodeLink,
  type LessonFileText,
  mostLinks,
  type Promotion,
} from '@crewhall/contracts/memory/code-links.ts'
import { memoryNotFound, namesNoCode } from '@crewhall/contracts/memory/refusals.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { findMemory } from '../memories/memories.store.ts'
import { presentLink } from './code-links.present.ts'
import * as store from './code-links.store.ts'
import { lessonTextOf } from './lesson-text.rules.ts'

export async function listCode(
  ctx: BrandCtx,
  id: string,
): Promise<{ links: CodeLink[]; is_pending: boolean }> {
  if (!(await findMemory(ctx, id))) throw memoryNotFound()
  // In this order: links that are there say that it is not pending any more.
  const is_pending = await store.isPending(ctx, id)
  return { links: (await store.listLinks(ctx, id, mostLinks)).map(presentLink), is_pending }
}

/** Writing to the repository stays with its owner. */
export async function promoteMemory(
  ctx: BrandCtx,
  id: string,
  promotion: Promotion,
): Promise<LessonFileText> {
  const memory = await findMemory(ctx, id)
  if (!memory) throw memoryNotFound()
  const links = (await store.listLinks(ctx, id, mostLinks)).map(presentLink)
  const file = lessonTextOf(memory, links, promotion)
  if (!file) throw namesNoCode()
  return file
}
