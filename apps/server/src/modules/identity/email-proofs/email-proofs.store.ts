import type { BrandTx, SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import { sql, statement } from '#platform/db/statement.ts'

interface One {
  readonly person_id: number
}

// No row for a confirmed address. Several e-mails may be in transit and arrive in any order, so the last few links are
// all valid.
const add = statement<One & { token_hash: string; hours: number }, { email: string; full_name: string }>(
  (p) => sql`with person as (
     select id, email, full_name from identity.people where id = ${p.person_id} and kind = 'person'
       and not email_verified),
   added as (
     insert into identity.email_proofs as p (person_id, token_hash, expires_at)
     select id, ${p.token_hash}, platform.now() + make_interval(hours => ${p.hours}) from person
     on conflict (person_id) do update set token_hash = excluded.token_hash, expires_at = excluded.expires_at,
       older_hashes = (array_prepend(p.token_hash, p.older_hashes))[1:9])
   select email, full_name from person`,
)
/** Two uses at once find it once. */
const take = statement<One & { token_hash: string }, unknown>(
  (p) => sql`delete from identity.email_proofs
   where person_id = ${p.person_id} and expires_at > platform.now()
     and (token_hash = ${p.token_hash} or ${p.token_hash} = any(older_hashes))`,
)
const verify = statement<One, unknown>(
  (p) => sql`update identity.people set email_verified = true, updated_at = platform.now()
   where id = ${p.person_id} and not email_verified`,
)
const forget = statement<One, unknown>(
  (p) => sql`delete from identity.email_proofs where person_id = ${p.person_id}`,
)

export const insertProof = (
  ctx: SystemCtx,
  proof: { person_id: number; token_hash: string; hours: number },
) => ctx.db.first(add, proof)
export const deleteProof = async (ctx: SystemTx, person_id: number, token_hash: string): Promise<boolean> =>
  (await ctx.db.run(take, { person_id, token_hash })) > 0
/** Whether it was not proven before. */
export async function updateVerified(ctx: SystemTx | BrandTx, person_id: number): Promise<boolean> {
  const changed = await ctx.db.run(verify, { person_id })
  await ctx.db.run(forget, { person_id })
  return changed > 0
}
