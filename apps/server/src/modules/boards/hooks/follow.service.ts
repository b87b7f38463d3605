import type { FollowedDelivery } from '@crewhall/contracts/boards/hook-jobs.ts'
import type { HookService } from '@crewhall/contracts/boards/hooks.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import * as store from './follow.store.ts'
import { findHook, type HookRow } from './hooks.store.ts'
import { refreshCard } from './refresh.service.ts'
import { mayBeOf, partsOf } from './refs.rules.ts'

/** How the feed names them. */
const names: Readonly<Record<HookService, string>> = { github: 'GitHub', gitlab: 'GitLab' }

/** Every card that something new was told of, each in a transaction of its own. */
export async function follow(system: SystemCtx, followed: FollowedDelivery): Promise<void> {
  const { brand_id, hook_id, number, branch, sha, card_ids = [] } = followed
  const hook = await findHook(system.forBrand(brand_id), hook_id)
  if (!hook) return
  const actor = { kind: 'system', name: names[hook.service] } as const
  const ctx = system.forBrand(brand_id, { actor })
  const told = [
    ...card_ids,
    ...(number === undefined ? [] : await linkPull(ctx, hook, number)),
    ...(branch === undefined ? [] : await cardsOnBranch(ctx, hook, branch)),
    ...(sha === undefined ? [] : await store.listCardsShowing(ctx, sha)),
  ]
  for (const card_id of new Set(told)) await refreshCard(ctx, card_id)
}

/** The cards that a pull request is about, and those that it was about until now. */
const linkPull = (ctx: BrandCtx, hook: HookRow, number: number): Promise<readonly string[]> =>
  ctx.tx(async (ctx) => {
    const place = { hook_id: hook.id, number }
    const pull = await store.lockPull(ctx, place)
    if (!pull) return []
    const before = await store.listLinkedCards(ctx, place)
    const now = await cardsOf(ctx, hook, pull)
    await store.replaceLinks(ctx, place, now)
    return [...before, ...now]
  })

async function cardsOf(ctx: BrandTx, hook: HookRow, pull: store.PullRow): Promise<string[]> {
  const named = await store.listNamedCards(ctx, hook.board_ids, partsOf(pull.refs))
  const addressed = await store.listCardsWithUrl(ctx, hook.board_ids, pull.url)
  // A stranger may call a branch as they like.
  const own = pull.is_fork ? [] : await cardsOnBranch(ctx, hook, pull.branch)
  return [...new Set([...named.map(({ id }) => id), ...addressed, ...own])]
}

async function cardsOnBranch(ctx: BrandCtx, { board_ids, url }: HookRow, branch: string): Promise<string[]> {
  const cards = await store.listCardsOnBranch(ctx, board_ids, branch)
  return cards.filter(({ repository }) => mayBeOf(repository, url)).map(({ id }) => id)
}
