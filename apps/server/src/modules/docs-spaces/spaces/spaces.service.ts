import { randomUUIDv7 } from 'node:crypto'
import { spaceLimit, spaceNotFound } from '@crewhall/contracts/docs-spaces/refusals.ts'
import type { PageQuery, Space } from '@crewhall/contracts/docs-spaces/spaces.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { fromStart, pageOf } from '../list-page.rules.ts'
import * as store from './spaces.store.ts'

const maxSpaces = 500

export async function listSpacePage(ctx: BrandCtx, { after = fromStart, limit }: PageQuery) {
  const { page, next_after } = pageOf(await store.listSpaces(ctx, after, limit + 1), limit)
  return { spaces: page, next_after }
}

export async function getSpace(ctx: BrandCtx, id: string): Promise<Space> {
  const space = await store.findSpace(ctx, id)
  if (!space) throw spaceNotFound()
  return space
}

export const openSpace = (ctx: BrandCtx, name: string): Promise<Space> =>
  ctx.tx(async (ctx) => {
    await store.lockSpaces(ctx)
    if ((await store.countSpaces(ctx)) >= maxSpaces) throw spaceLimit()
    const space = await store.insertSpace(ctx, { id: randomUUIDv7(), name })
    if (!space) throw spaceNotFound()
    return space
  })

export async function renameSpace(ctx: BrandCtx, id: string, name: string): Promise<Space> {
  const space = await store.updateName(ctx, id, name)
  if (!space) throw spaceNotFound()
  return space
}

export const closeSpace = (ctx: BrandCtx, id: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const gone = await store.deleteSpace(ctx, id)
    if (!gone) throw spaceNotFound()
    await ctx.audit({ action: 'docs_space.deleted', target: `docs_space:${id}`, from: gone, to: null })
  })
