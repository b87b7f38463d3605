import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import type { CheckState, HookService } from '@crewhall/contracts/boards/hooks.ts'
import type { CardRef } from '@crewhall/contracts/boards/task-ids.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql } from '#platform/db/statement.ts'

export interface PullRow {
  readonly hook_id: string
  readonly number: number
  readonly url: string
  readonly state: NonNullable<FullCard['pr_state']>
  readonly branch: string
  readonly is_fork: boolean
  readonly head_sha: string
  readonly merged_sha: string | null
  readonly merged_at: string | null
  readonly opened_at: string
  readonly refs: string[]
  /** Whether its merge was noticed on the card. */
  readonly is_moved: boolean
  /** Whether the card was found for this very state: another one may be about other cards. */
  readonly is_current: boolean
}

type Pull = { hook_id: string; number: number }
type Boards = { board_ids: readonly string[] | null }
const columns =
  'r.hook_id, r.number, r.url, r.state, r.branch, r.is_fork, r.head_sha, r.merged_sha, r.merged_at, r.opened_at, r.refs'

const lock = brandStatement<Pull, PullRow>(
  (p) => sql`select ${columns}, false as is_moved, true as is_current from boards.pull_requests r
   where r.brand_id = ${p.brand_id} and r.hook_id = ${p.hook_id} and r.number = ${p.number} for no key update`,
)
const named = brandStatement<
  Boards & { keys: readonly string[]; numbers: readonly number[] },
  { id: string; ref: string }
>(
  (
    p,
  ) => sql`select c.id, n.key || '-' || n.number as ref from unnest(${p.keys}::text[], ${p.numbers}::int[]) as n (key, number)
   join boards.boards b on b.brand_id = ${p.brand_id} and b.key = n.key
     and (${p.board_ids}::uuid[] is null or b.id = any(${p.board_ids}::uuid[]))
   join boards.cards c on c.brand_id = ${p.brand_id} and c.board_id = b.id and c.number = n.number
   where c.archived_at is null`,
)
const onBranch = brandStatement<Boards & { branch: string }, { id: string; repository: string | null }>(
  (p) => sql`select id, repository from boards.cards
   where brand_id = ${p.brand_id} and branch = ${p.branch} and archived_at is null
     and (${p.board_ids}::uuid[] is null or board_id = any(${p.board_ids}::uuid[])) order by id limit 20`,
)
// Where people wrote the address, not a delivery.
const withUrl = brandStatement<Boards & { url: string }, { id: string }>(
  (p) => sql`select c.id from boards.cards c
   where c.brand_id = ${p.brand_id} and md5(c.pr_url) = md5(${p.url}) and c.pr_url = ${p.url}
     and c.archived_at is null and (${p.board_ids}::uuid[] is null or c.board_id = any(${p.board_ids}::uuid[]))
     and not exists (select from boards.card_deliveries d
       where d.brand_id = c.brand_id and d.card_id = c.id and d.pr_url = c.pr_url)
   order by c.id limit 20`,
)
const linked = brandStatement<Pull, { card_id: string }>(
  (p) => sql`select card_id from boards.card_pulls
   where brand_id = ${p.brand_id} and hook_id = ${p.hook_id} and number = ${p.number} order by card_id`,
)
const unlink = brandStatement<Pull & { kept: readonly string[] }, unknown>(
  (p) => sql`delete from boards.card_pulls where brand_id = ${p.brand_id} and hook_id = ${p.hook_id}
     and number = ${p.number} and card_id <> all(${p.kept}::uuid[])`,
)
const link = brandStatement<Pull & { cards: readonly string[] }, unknown>(
  (p) => sql`insert into boards.card_pulls (brand_id, card_id, hook_id, number, digest)
   select r.brand_id, c.card_id, r.hook_id, r.number, r.digest from unnest(${p.cards}::uuid[]) as c (card_id)
   join boards.pull_requests r on r.brand_id = ${p.brand_id} and r.hook_id = ${p.hook_id} and r.number = ${p.number}
   on conflict (brand_id, card_id, hook_id, number) do update set digest = excluded.digest`,
)
const ofCard = brandStatement<{ card_id: string }, PullRow>(
  (p) => sql`select ${columns}, l.is_moved, l.digest = r.digest as is_current from boards.card_pulls l
   join boards.pull_requests r on r.brand_id = l.brand_id and r.hook_id = l.hook_id and r.number = l.number
   where l.brand_id = ${p.brand_id} and l.card_id = ${p.card_id}
   order by r.is_fork, r.opened_at desc, r.number desc, r.hook_id limit 100`,
)

const setMoved = brandStatement<{ card_id: string }, unknown>(
  (p) => sql`update boards.card_pulls l set is_moved = true from boards.pull_requests r
   where l.brand_id = ${p.brand_id} and l.card_id = ${p.card_id} and not l.is_moved and r.brand_id = l.brand_id
     and r.hook_id = l.hook_id and r.number = l.number and r.state = 'merged' and r.digest = l.digest`,
)

export interface PushRow {
  readonly hook_id: string
  readonly url: string
  readonly before: string
  readonly after: string
  readonly at: string
}
// The newest are enough: what came before them is none of the last.
const pushed = brandStatement<{ board_id: string; branch: string }, PushRow>(
  (p) => sql`select p.hook_id, h.url, p.before, p.after, p.at from boards.pushes p
   join boards.hooks h on h.brand_id = p.brand_id and h.id = p.hook_id
     and (h.board_ids is null or ${p.board_id} = any(h.board_ids))
   where p.brand_id = ${p.brand_id} and p.branch = ${p.branch} order by p.at desc limit 200`,
)
export interface CommitRow {
  readonly sha: string
  readonly at: string
  readonly url: string
}
const commits = brandStatement<{ card_id: string; limit: number }, CommitRow>(
  (p) => sql`select c.sha, c.at, h.url from boards.card_commits c
   join boards.hooks h on h.brand_id = c.brand_id and h.id = c.hook_id
   where c.brand_id = ${p.brand_id} and c.card_id = ${p.card_id} order by c.at desc, c.sha limit ${p.limit}`,
)
export interface SuiteRow {
  readonly hook_id: string
  readonly service: HookService
  readonly id: number
  readonly state: CheckState
  readonly url: string
}
const suites = brandStatement<{ sha: string }, SuiteRow>(
  (p) => sql`select s.hook_id, h.service, s.id::float8 as id, s.state, h.url from boards.check_suites s
   join boards.hooks h on h.brand_id = s.brand_id and h.id = s.hook_id
   where s.brand_id = ${p.brand_id} and s.sha = ${p.sha} order by s.id desc, s.hook_id limit 100`,
)
const showing = brandStatement<{ sha: string }, { card_id: string }>(
  (p) => sql`select card_id from boards.card_deliveries where brand_id = ${p.brand_id} and sha = ${p.sha}
   order by card_id limit 100`,
)

export interface WrittenRow {
  readonly pr_url: string | null
  readonly sha: string | null
  readonly checks: CheckState | null
}
const written = brandStatement<{ card_id: string }, WrittenRow>(
  (p) => sql`select pr_url, sha, checks from boards.card_deliveries
   where brand_id = ${p.brand_id} and card_id = ${p.card_id}`,
)
const write = brandStatement<{ card_id: string } & WrittenRow, unknown>(
  (p) => sql`insert into boards.card_deliveries (brand_id, card_id, pr_url, sha, checks)
   values (${p.brand_id}, ${p.card_id}, ${p.pr_url}, ${p.sha}, ${p.checks})
   on conflict (brand_id, card_id) do update set pr_url = excluded.pr_url, sha = excluded.sha,
     checks = excluded.checks`,
)

export const lockPull = (ctx: BrandTx, pull: Pull) => ctx.db.first(lock, pull)
/** At most as many as refs were given. */
export const listNamedCards = (
  ctx: BrandCtx,
  board_ids: readonly string[] | null,
  refs: readonly CardRef[],
) => {
  const [keys, numbers] = [refs.map(({ key }) => key), refs.map(({ number }) => number)]
  return ctx.db.all(named, { board_ids, keys, numbers })
}
export const listCardsOnBranch = (ctx: BrandCtx, board_ids: readonly string[] | null, branch: string) =>
  ctx.db.all(onBranch, { board_ids, branch })
export const listCardsWithUrl = async (ctx: BrandCtx, board_ids: readonly string[] | null, url: string) =>
  (await ctx.db.all(withUrl, { board_ids, url })).map(({ id }) => id)
export const listLinkedCards = async (ctx: BrandCtx, pull: Pull) =>
  (await ctx.db.all(linked, pull)).map(({ card_id }) => card_id)
export async function replaceLinks(ctx: BrandTx, pull: Pull, cards: readonly string[]): Promise<void> {
  await ctx.db.run(unlink, { ...pull, kept: cards })
  await ctx.db.run(link, { ...pull, cards })
}
/** The best first: own branches before those of others, then the newest. */
export const listPullsOfCard = (ctx: BrandCtx, card_id: string) => ctx.db.all(ofCard, { card_id })
export const findWritten = (ctx: BrandCtx, card_id: string) => ctx.db.first(written, { card_id })
export const upsertWritten = (ctx: BrandTx, card_id: string, row: WrittenRow) =>
  ctx.db.run(write, { card_id, ...row })
/** Merges that are there now are noticed for good. */
export const updateMoved = (ctx: BrandTx, card_id: string) => ctx.db.run(setMoved, { card_id })
export const listPushes = (ctx: BrandCtx, board_id: string, branch: string) =>
  ctx.db.all(pushed, { board_id, branch })
export const listCommits = (ctx: BrandCtx, card_id: string, limit: number) =>
  ctx.db.all(commits, { card_id, limit })
export const listSuites = (ctx: BrandCtx, sha: string) => ctx.db.all(suites, { sha })
export const listCardsShowing = async (ctx: BrandCtx, sha: string) =>
  (await ctx.db.all(showing, { sha })).map(({ card_id }) => card_id)
