import type { CardChange } from '@crewhall/contracts/boards/cards.ts'
import { Refusal } from '@crewhall/contracts/refusal.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { lockBoardsForAll } from '../boards/boards.store.ts'
import { isOver } from '../card-data/cards.rules.ts'
import { type FullRow, findBoardOfCard, findCard } from '../card-data/cards.store.ts'
import { changeCard } from '../cards/cards.service.ts'
import { listBoardsOfWaiting } from '../relations/waiting.store.ts'
import { boardActorOf } from '../writes/board-actor.ts'
import { recordActivity } from '../writes/record-activity.service.ts'
import { deriveDelivered } from './delivery.rules.ts'
import * as store from './follow.store.ts'
import { findMergeMove } from './merge-moves.store.ts'
import { headOf } from './pushes.rules.ts'
import { mayBeOf } from './refs.rules.ts'
import { deriveChecks } from './suites.rules.ts'

/**
 * Brings one card in line with all that is known, unless it is archived. It reads the newest states under the lock of the
 * board: whoever comes last writes what all of them say.
 */
export const refreshCard = (ctx: BrandCtx, card_id: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const board_id = await findBoardOfCard(ctx, card_id)
    if (board_id === undefined) return
    const waiting = await listBoardsOfWaiting(ctx, [card_id])
    const board = (await lockBoardsForAll(ctx, [board_id, ...waiting])).get(board_id)
    const card = await findCard(ctx, card_id)
    if (!board || board.archived_at !== null || !card || card.archived_at !== null) return
    const pulls = await store.listPullsOfCard(ctx, card_id)
    const before = await store.findWritten(ctx, card_id)
    const { change, written_url } = deriveDelivered({
      pr_url: card.pr_url,
      written_url: before?.pr_url ?? null,
      pulls,
      last_sha: await lastCommit(ctx, card),
    })
    const sha = change.commit_sha ?? card.commit_sha
    const checks = sha === null ? null : deriveChecks(await store.listSuites(ctx, sha))
    await store.upsertWritten(ctx, card_id, { pr_url: written_url, sha, checks })
    const isMerge = pulls.some((pull) => pull.state === 'merged' && pull.is_current && !pull.is_moved)
    if (isMerge) await store.updateMoved(ctx, card_id)
    const column = isMerge && !isOver(card.status) ? await findMergeMove(ctx, board_id) : undefined
    await write(ctx, card_id, change, column?.id)
    const from = before?.checks ?? null
    if (checks === from) return
    const data = { from, to: checks, commit_sha: sha }
    const actor = boardActorOf(ctx.actor)
    await recordActivity(ctx, { board_id, action: 'task.checks_changed', card_id, actor, data })
  })

/** On its branch, or else one whose message names it. */
async function lastCommit(ctx: BrandTx, card: FullRow): Promise<string | null> {
  const { branch, board_id, repository } = card
  const pushes = branch === null ? [] : await store.listPushes(ctx, board_id, branch)
  const own = pushes.filter(({ url }) => mayBeOf(repository, url))
  const heads = [...new Set(own.map(({ hook_id }) => hook_id))]
    .map((hook_id) => headOf(own.filter((push) => push.hook_id === hook_id)))
    .filter((head) => head !== undefined)
    .toSorted((a, b) => (a.at < b.at ? 1 : -1))
  const [head] = heads
  if (head) return head.after
  const [commit] = await store.listCommits(ctx, card.id, 1)
  return commit?.sha ?? null
}

/** A column that is full or about to go keeps nobody from knowing that a pull request was merged. */
async function write(
  ctx: BrandTx,
  card_id: string,
  change: CardChange,
  column: string | undefined,
): Promise<void> {
  if (column !== undefined) {
    try {
      await ctx.attempt((ctx) => changeCard(ctx, card_id, { ...change, column }))
      return
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  }
  await changeCard(ctx, card_id, change)
}
