import type { CardDelivery } from '@crewhall/contracts/boards/delivery.ts'
import { cardNotFound } from '@crewhall/contracts/boards/refusals.ts'
import type { BrandCtx } from '#platform/ctx/ctx.ts'
import { findCard } from '../card-data/cards.store.ts'
import * as store from './follow.store.ts'
import { deriveChecks } from './suites.rules.ts'

const most = 20

/** What repositories have told of a card. */
export async function getDelivery(ctx: BrandCtx, card_id: string): Promise<CardDelivery> {
  const card = await findCard(ctx, card_id)
  if (!card) throw cardNotFound()
  const { commit_sha, pr_url } = card
  const [pulls, suites, commits] = await Promise.all([
    store.listPullsOfCard(ctx, card_id),
    commit_sha === null ? [] : store.listSuites(ctx, commit_sha),
    store.listCommits(ctx, card_id, most),
  ])
  return {
    commit_sha,
    checks: deriveChecks(suites),
    suites: suites
      .slice(0, most)
      .map(({ id, service, state, url }) => ({ id, service, state, repository: url })),
    pull_requests: pulls
      .slice(0, most)
      .map(({ number, url, state, branch, head_sha, merged_at, opened_at }) => ({
        number,
        url,
        state,
        branch,
        head_sha,
        merged_at,
        opened_at,
        shown: url === pr_url,
      })),
    commits: commits.map(({ sha, at, url }) => ({ sha, at, repository: url })),
  }
}
