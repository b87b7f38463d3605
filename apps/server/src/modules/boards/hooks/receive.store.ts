import type { DeliveryResult } from '@crewhall/contracts/boards/hooks.ts'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'
import type { ToldPull, ToldPush, ToldSuite } from './states.rules.ts'

interface Delivery {
  readonly hook_id: string
  readonly id: string
  readonly event: string
}

// One that comes twice at once waits here for the first.
const add = brandStatement<Delivery & { result: string }, { id: string }>(
  (p) => sql`insert into boards.hook_deliveries (brand_id, hook_id, id, event, result)
   values (${p.brand_id}, ${p.hook_id}, ${p.id}, ${p.event}, ${p.result})
   on conflict (brand_id, hook_id, id) do nothing returning id`,
)
const settle = brandStatement<{ hook_id: string; id: string; result: string }, unknown>(
  (p) => sql`update boards.hook_deliveries set result = ${p.result}
   where brand_id = ${p.brand_id} and hook_id = ${p.hook_id} and id = ${p.id}`,
)
const learn = brandStatement<{ hook_id: string; remote_id: number }, unknown>(
  (p) => sql`update boards.hooks set remote_id = ${p.remote_id}
   where brand_id = ${p.brand_id} and id = ${p.hook_id} and remote_id is null`,
)

/** A digest of all that was told stands for it. */
type Digested<T extends { readonly content: string }> = Omit<T, 'content'> & { readonly digest: string }
type Pull = Digested<ToldPull> & { hook_id: string }
// Only a later state replaces an earlier one.
const putPull = brandStatement<Pull, { number: number }>(
  (
    p,
  ) => sql`insert into boards.pull_requests as r (brand_id, hook_id, number, url, state, branch, is_fork, head_sha,
     merged_sha, merged_at, opened_at, refs, changed_at, state_rank, digest)
   values (${p.brand_id}, ${p.hook_id}, ${p.number}, ${p.url}, ${p.state}, ${p.branch}, ${p.is_fork}, ${p.head_sha},
     ${p.merged_sha}, ${p.merged_at}, ${p.opened_at}, ${p.refs}, ${p.changed_at}, ${p.state_rank}, ${p.digest})
   on conflict (brand_id, hook_id, number) do update set url = excluded.url, state = excluded.state,
     branch = excluded.branch, is_fork = excluded.is_fork, head_sha = excluded.head_sha,
     merged_sha = excluded.merged_sha, merged_at = least(r.merged_at, excluded.merged_at),
     opened_at = excluded.opened_at, refs = excluded.refs, changed_at = excluded.changed_at,
     state_rank = excluded.state_rank, digest = excluded.digest
   where (excluded.changed_at, excluded.state_rank, excluded.digest) > (r.changed_at, r.state_rank, r.digest)
   returning number`,
)
// The first time that a host said so is the time of the merge, also if it comes last.
const mergedEarlier = brandStatement<
  { hook_id: string; number: number; merged_at: string },
  { number: number }
>(
  (p) => sql`update boards.pull_requests set merged_at = ${p.merged_at}
   where brand_id = ${p.brand_id} and hook_id = ${p.hook_id} and number = ${p.number}
     and merged_at > ${p.merged_at} returning number`,
)

type Push = Omit<ToldPush, 'commits'> & { hook_id: string }
const putPush = brandStatement<Push, { after: string }>(
  (p) => sql`insert into boards.pushes as r (brand_id, hook_id, branch, before, after, at)
   values (${p.brand_id}, ${p.hook_id}, ${p.branch}, ${p.before}, ${p.after}, ${p.at})
   on conflict (brand_id, hook_id, branch, after, before) do update set at = excluded.at
   where excluded.at > r.at returning after`,
)
interface Naming {
  readonly hook_id: string
  readonly cards: readonly string[]
  readonly shas: readonly string[]
  readonly times: readonly string[]
}
const putCommits = brandStatement<Naming, { card_id: string }>(
  (p) => sql`insert into boards.card_commits (brand_id, card_id, hook_id, sha, at)
   select ${p.brand_id}, c.card_id, ${p.hook_id}, c.sha, c.at
   from unnest(${p.cards}::uuid[], ${p.shas}::text[], ${p.times}::timestamptz[]) as c (card_id, sha, at)
   order by c.card_id, c.sha on conflict do nothing returning card_id`,
)
const putSuite = brandStatement<Digested<ToldSuite> & { hook_id: string }, { sha: string }>(
  (
    p,
  ) => sql`insert into boards.check_suites as r (brand_id, sha, hook_id, id, state, changed_at, state_rank, digest)
   values (${p.brand_id}, ${p.sha}, ${p.hook_id}, ${p.id}, ${p.state}, ${p.changed_at}, ${p.state_rank}, ${p.digest})
   on conflict (brand_id, sha, hook_id, id) do update set state = excluded.state, changed_at = excluded.changed_at,
     state_rank = excluded.state_rank, digest = excluded.digest, received_at = excluded.received_at
   where (excluded.changed_at, excluded.state_rank, excluded.digest) > (r.changed_at, r.state_rank, r.digest)
   returning sha`,
)

/** Whether it is new. */
export const insertDelivery = async (ctx: BrandTx, delivery: Delivery & { result: DeliveryResult }) =>
  (await ctx.db.first(add, delivery)) !== undefined
export const updateDelivery = (
  ctx: BrandTx,
  settled: { hook_id: string; id: string; result: DeliveryResult },
) => ctx.db.run(settle, settled)
export const updateRemoteId = (ctx: BrandTx, hook_id: string, remote_id: number) =>
  ctx.db.run(learn, { hook_id, remote_id })
/** Whether it was later than what was known. */
export async function upsertPull(ctx: BrandTx, hook_id: string, pull: Digested<ToldPull>): Promise<boolean> {
  if (await ctx.db.first(putPull, { hook_id, ...pull })) return true
  const { number, merged_at } = pull
  return (
    merged_at !== null && (await ctx.db.first(mergedEarlier, { hook_id, number, merged_at })) !== undefined
  )
}
/** Whether it was new. */
export const upsertPush = async (ctx: BrandTx, hook_id: string, { commits: _, ...push }: ToldPush) =>
  (await ctx.db.first(putPush, { hook_id, ...push })) !== undefined
/** Returns the cards that have a commit more. */
export const insertCommits = async (
  ctx: BrandTx,
  hook_id: string,
  named: readonly { readonly card_id: string; readonly sha: string; readonly at: string }[],
): Promise<string[]> => {
  const cards = named.map(({ card_id }) => card_id)
  const [shas, times] = [named.map(({ sha }) => sha), named.map(({ at }) => at)]
  return (await ctx.db.all(putCommits, { hook_id, cards, shas, times })).map(({ card_id }) => card_id)
}
/** Whether it was later than what was known. */
export const upsertSuite = async (ctx: BrandTx, hook_id: string, suite: Digested<ToldSuite>) =>
  (await ctx.db.first(putSuite, { hook_id, ...suite })) !== undefined
