import { createHash } from 'node:crypto'
import { keyInUse, keyReused, Refusal, toldOnce } from '@crewhall/contracts/refusal.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { sqlStatement } from '#platform/db/statement.ts'

export interface KeptAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

export interface KeyedRequest {
  readonly key: string
  readonly method: string
  readonly path: string
  /** Everything else that was asked, as text. */
  readonly rest: string
  /** Of the answer only that it was given may be kept. */
  readonly is_secret: boolean
}

interface Kept {
  readonly request: string
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string | null
}

const tryLock = sqlStatement<{ brand_id: number; digest: string }, { is_free: boolean }>(
  'select pg_try_advisory_xact_lock(hashtextextended($2, $1)) as is_free',
  'brand_id',
  'digest',
)
const find = sqlStatement<{ brand_id: number; digest: string }, Kept>(
  `select encode(request, 'hex') as request, status, headers, body from platform.kept_answers
   where brand_id = $1 and digest = decode($2, 'hex') and created_at > platform.now() - interval '24 hours'`,
  'brand_id',
  'digest',
)
interface NewKept {
  readonly brand_id: number
  readonly digest: string
  readonly request: string
  readonly status: number
  readonly headers: string
  readonly body: string | null
}
const keep = sqlStatement<NewKept, unknown>(
  `insert into platform.kept_answers (brand_id, digest, request, status, headers, body)
   values ($1, decode($2, 'hex'), decode($3, 'hex'), $4, $5::jsonb, $6)
   on conflict (brand_id, digest) do update set request = excluded.request, status = excluded.status,
     headers = excluded.headers, body = excluded.body, created_at = excluded.created_at`,
  ...(['brand_id', 'digest', 'request', 'status', 'headers', 'body'] as const),
)

/** Bounded, through an index; the job repeats while it finds any. */
export const sweepKeptAnswers = sqlStatement<{ limit: number }, unknown>(
  `delete from platform.kept_answers where (brand_id, digest) in (
     select brand_id, digest from platform.kept_answers
     where created_at < platform.now() - interval '24 hours' order by created_at limit $1)`,
  'limit',
)

/**
 * Does `work` once for a key. The answer commits with what was done, so there is never one without the other.
 * A refusal is not kept: nothing was done, and it may be different the next time.
 */
export const answerOnce = (
  ctx: BrandCtx,
  asked: KeyedRequest,
  work: (ctx: BrandTx) => Promise<KeptAnswer>,
): Promise<{ readonly answer: KeptAnswer; readonly is_replayed: boolean }> => {
  const names = {
    brand_id: ctx.brandId,
    digest: digestOf([credentialOf(ctx), asked.method, asked.path, asked.key]),
  }
  const request = digestOf([asked.rest])
  return ctx.tx(async (ctx) => {
    // Two statements on purpose: the second sees what was committed before the lock was free.
    const [lock, kept] = await Promise.all([ctx.db.first(tryLock, names), ctx.db.first(find, names)])
    // Not waited for: a caller that asks twenty times must not hold twenty connections.
    if (!lock?.is_free) throw new Refusal(keyInUse.status, keyInUse.text, { 'retry-after': '1' })
    if (kept) return { answer: again(kept, request), is_replayed: true }
    const answer = await work(ctx)
    const { status, headers } = answer
    const body = asked.is_secret ? null : (JSON.stringify(answer.body) ?? null)
    await ctx.db.run(keep, { ...names, request, status, headers: JSON.stringify(headers), body })
    return { answer, is_replayed: false }
  })

  function again({ request: first, status, headers, body }: Kept, request: string): KeptAnswer {
    if (first !== request) throw keyReused()
    if (asked.is_secret) throw toldOnce()
    return { status, headers, body: body === null ? undefined : JSON.parse(body) }
  }
}

/** A key means something to the credential that chose it, and nothing to any other. */
const credentialOf = ({ actor }: BrandCtx): string =>
  actor.kind === 'person' ? `${actor.credential}:${actor.credential_id}` : actor.kind

const digestOf = (parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex')
