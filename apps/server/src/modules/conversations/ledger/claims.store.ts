import type { AttemptOutcome, Decision } from '@crewhall/contracts/conversations/conversations.ts'
import type { BrandCtx, BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import { brandStatement, sql, statement } from '#platform/db/statement.ts'

export interface DueSource {
  readonly brand_id: number
  readonly source_id: string
}
/** A conversation that one worker has to itself until its lease ends. */
export interface Claim {
  readonly id: string
  readonly source_id: string
  readonly source_type: string
  readonly agent_id: string
  readonly external_id: string
  readonly created_at: string
  /** What it writes counts only while the conversation has this one. */
  readonly epoch: number
  /** In the ledger. */
  readonly attempt: number
  readonly losses: number
  readonly read_through: number
  readonly message_count: number
}
export interface UnreadMessage {
  readonly seq: number
  readonly role: 'person' | 'agent'
  readonly text: string
  readonly sent_at: string | null
}

const unfinished = `state in ('waiting', 'reading', 'held')`

const dueSources = statement<DueSource & { limit: number }, DueSource>(
  (p) => sql`select s.brand_id, s.id as source_id from conversations.sources s
   where (s.brand_id, s.id) > (${p.brand_id}, ${p.source_id}::uuid) and s.enabled and s.deleted_at is null
     and exists (select from conversations.conversations c where c.brand_id = s.brand_id and c.source_id = s.id
       and c.${unfinished} and c.next_try_at <= platform.now())
   order by s.brand_id, s.id limit ${p.limit}`,
)

interface Wanted {
  readonly source_id: string
  readonly limit: number
  readonly lease_seconds: number
}
// A lease that has run out ended an attempt that nobody has ended.
const claim = brandStatement<Wanted, Claim>(
  (p) => sql`with due as materialized (
     select c.id, c.state, s.source_type from conversations.conversations c
     join conversations.sources s on s.brand_id = c.brand_id and s.id = c.source_id
     where c.brand_id = ${p.brand_id} and c.source_id = ${p.source_id} and c.${unfinished}
       and c.next_try_at <= platform.now() and s.enabled and s.deleted_at is null
     order by c.next_try_at limit ${p.limit} for update of c skip locked),
   lost as (
     update conversations.attempts a set outcome = 'lost', ended_at = platform.clock_now()
     from due d where a.brand_id = ${p.brand_id} and a.conversation_id = d.id and a.outcome is null),
   claimed as (
     update conversations.conversations c set state = 'reading', reason = null, epoch = c.epoch + 1,
       last_attempt = c.last_attempt + 1, losses = c.losses + (d.state = 'reading')::int,
       lease_until = platform.now() + make_interval(secs => ${p.lease_seconds}::int),
       next_try_at = platform.now() + make_interval(secs => ${p.lease_seconds}::int)
     from due d where c.brand_id = ${p.brand_id} and c.id = d.id
     returning c.brand_id, c.id, c.source_id, d.source_type, c.agent_id, c.external_id, c.created_at, c.epoch,
       c.last_attempt as attempt, c.losses, c.read_through, c.message_count),
   begun as (
     insert into conversations.attempts (brand_id, conversation_id, number, epoch, first_seq)
     select brand_id, id, attempt, epoch, read_through from claimed)
   select id, source_id, source_type, agent_id, external_id, created_at, epoch, attempt, losses, read_through,
     message_count
   from claimed`,
)
const unread = brandStatement<{ id: string; from: number; limit: number }, UnreadMessage>(
  (p) => sql`select seq, role, text, sent_at from conversations.messages
   where brand_id = ${p.brand_id} and conversation_id = ${p.id} and seq >= ${p.from} and text is not null
   order by seq limit ${p.limit}`,
)

type Held = { readonly id: string; readonly epoch: number }
const lock = brandStatement<Held, { attempts: number }>(
  (p) => sql`select attempts from conversations.conversations
   where brand_id = ${p.brand_id} and id = ${p.id} and epoch = ${p.epoch} and state = 'reading'
   for no key update`,
)
const extend = brandStatement<Held & { lease_seconds: number }, { id: string }>(
  (p) => sql`update conversations.conversations
   set lease_until = platform.now() + make_interval(secs => ${p.lease_seconds}::int),
     next_try_at = platform.now() + make_interval(secs => ${p.lease_seconds}::int)
   where brand_id = ${p.brand_id} and id = ${p.id} and epoch = ${p.epoch} and state = 'reading' returning id`,
)

export interface Ended {
  readonly outcome: AttemptOutcome
  readonly end_seq: number | null
  readonly calls: number
  readonly tokens_in: number
  readonly tokens_out: number
  readonly model: string | null
  readonly produced: number
  readonly rejected: number
  readonly error: string | null
}
const end = brandStatement<Ended & { id: string; attempt: number }, unknown>(
  (p) => sql`update conversations.attempts set ended_at = platform.clock_now(), outcome = ${p.outcome},
     end_seq = ${p.end_seq}, calls = ${p.calls}, tokens_in = ${p.tokens_in}, tokens_out = ${p.tokens_out},
     model = ${p.model}, produced = ${p.produced}, rejected = ${p.rejected}, error = left(${p.error}::text, 500)
   where brand_id = ${p.brand_id} and conversation_id = ${p.id} and number = ${p.attempt}`,
)
export interface NewCandidates {
  readonly decisions: readonly Decision[]
  readonly reasons: readonly (string | null)[]
  readonly memory_ids: readonly (string | null)[]
  readonly other_memory_ids: readonly (string | null)[]
}
const addCandidates = brandStatement<NewCandidates & { id: string; attempt: number }, unknown>(
  (
    p,
  ) => sql`insert into conversations.candidates (brand_id, conversation_id, attempt, n, decision, reason, memory_id,
     other_memory_id)
   select ${p.brand_id}, ${p.id}, ${p.attempt}, c.n, c.decision, left(c.reason, 200), c.memory_id, c.other_memory_id
   from unnest(${p.decisions}::text[], ${p.reasons}::text[], ${p.memory_ids}::uuid[], ${p.other_memory_ids}::uuid[])
     with ordinality as c (decision, reason, memory_id, other_memory_id, n)`,
)
// What has arrived meanwhile waits for the next pick-up; what of it was dropped needs none.
const advance = brandStatement<{ id: string; end_seq: number }, { state: string }>(
  (p) => sql`with rest as (
     select exists (select from conversations.messages m where m.brand_id = ${p.brand_id}
       and m.conversation_id = ${p.id} and m.seq >= ${p.end_seq} and m.text is not null) as is_left)
   update conversations.conversations c set attempts = 0, losses = 0, reason = null, lease_until = null,
     read_through = case when r.is_left then ${p.end_seq} else c.message_count end,
     state = case when r.is_left then 'waiting' else 'done' end,
     next_try_at = case when r.is_left then platform.now() end, updated_at = platform.now()
   from rest r where c.brand_id = ${p.brand_id} and c.id = ${p.id} returning c.state`,
)
interface PutBack {
  readonly id: string
  readonly state: 'waiting' | 'failed' | 'held'
  readonly attempts: number
  readonly reason: string | null
  readonly next_try_at: string | null
}
const putBack = brandStatement<PutBack, unknown>(
  (p) => sql`update conversations.conversations set state = ${p.state}, attempts = ${p.attempts}, losses = 0,
     reason = left(${p.reason}::text, 500), lease_until = null, next_try_at = ${p.next_try_at}::timestamptz,
     updated_at = platform.now()
   where brand_id = ${p.brand_id} and id = ${p.id}`,
)
// The epoch takes it from a worker that is reading it.
const settle = brandStatement<{ ids: readonly string[] }, unknown>(
  (p) => sql`with unfinished as materialized (
     select id from conversations.conversations
     where brand_id = ${p.brand_id} and id = any(${p.ids}::uuid[]) and state <> 'done'
     order by id for no key update),
   lost as (
     update conversations.attempts a set outcome = 'lost', ended_at = platform.clock_now()
     from unfinished u where a.brand_id = ${p.brand_id} and a.conversation_id = u.id and a.outcome is null)
   update conversations.conversations c set state = 'done', read_through = c.message_count, epoch = c.epoch + 1,
     attempts = 0, losses = 0, reason = null, lease_until = null, next_try_at = null, updated_at = platform.now()
   from unfinished u where c.brand_id = ${p.brand_id} and c.id = u.id`,
)

export const listDueSources = (ctx: SystemCtx, after: DueSource, limit: number) =>
  ctx.overBrands().db.all(dueSources, { ...after, limit })
export const claimDue = (ctx: BrandCtx, wanted: Wanted) => ctx.db.all(claim, wanted)
export const listUnread = (ctx: BrandCtx, id: string, from: number, limit: number) =>
  ctx.db.all(unread, { id, from, limit })
/** Nothing when the claim was lost. */
export const lockClaim = (ctx: BrandTx, { id, epoch }: Held) => ctx.db.first(lock, { id, epoch })
export const extendLease = async (ctx: BrandCtx, { id, epoch }: Held, lease_seconds: number) =>
  (await ctx.db.first(extend, { id, epoch, lease_seconds })) !== undefined
export const endAttempt = (ctx: BrandTx, { id, attempt }: Claim, ended: Ended) =>
  ctx.db.run(end, { id, attempt, ...ended })
export const insertCandidates = (ctx: BrandTx, { id, attempt }: Claim, candidates: NewCandidates) =>
  ctx.db.run(addCandidates, { id, attempt, ...candidates })
export const updateRead = (ctx: BrandTx, id: string, end_seq: number) =>
  ctx.db.first(advance, { id, end_seq })
export const updatePutBack = (ctx: BrandTx, row: PutBack) => ctx.db.run(putBack, row)
/** What they contain now counts as read. */
export const updateSettled = (ctx: BrandTx, ids: readonly string[]) => ctx.db.run(settle, { ids })
