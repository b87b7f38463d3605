import type pg from 'pg'
import type { Revocation } from '#platform/revocations/revocation-journal.ts'

type Revoked = Readonly<Record<Revocation['kind'], ReadonlySet<string>>>

/** Ids alone: a journal of weeks names many of them again and again. */
export async function gather(journal: AsyncIterable<Revocation>) {
  const revoked = {
    session: new Set<string>(),
    token: new Set<string>(),
    connection: new Set<string>(),
    desk: new Set<string>(),
    hook: new Set<string>(),
  }
  let entries = 0
  for await (const { kind, id } of journal) {
    entries += 1
    revoked[kind].add(id)
  }
  return { entries, revoked }
}

/** What the journal names. */
export async function endRevoked(client: pg.Client, revoked: Revoked) {
  // Or the hub would let its key in again. It comes back with the next key that joins.
  await run(client, 'delete from fleet.mesh_peers where desk_id = any($1::uuid[])', [[...revoked.desk]])
  const count = (text: string, ids: Iterable<string>) => run(client, text, [[...ids]])
  return {
    sessions: await count('delete from identity.sessions where id = any($1::int[])', revoked.session),
    // With all that they have issued, as when one is revoked.
    tokens: await count(
      `with recursive branch as (
         select brand_id, id from identity.tokens where id = any($1::uuid[])
         union select t.brand_id, t.id from identity.tokens t
         join branch b on t.brand_id = b.brand_id and t.issued_by = b.id)
       update identity.tokens t set revoked_at = platform.now() from branch b
       where t.brand_id = b.brand_id and t.id = b.id and t.revoked_at is null`,
      revoked.token.union(revoked.connection),
    ),
    desks: await count(
      `update fleet.desk_keys set released_at = platform.now()
       where desk_id = any($1::uuid[]) and released_at is null`,
      revoked.desk,
    ),
    // No signature fits it, so the hook is deaf until an admin rotates it; its host has another secret by now, or none.
    hooks: await count(
      `update boards.hooks set secret = '', old_secret = null, old_secret_until = null, updated_at = platform.now()
       where id = any($1::uuid[]) and secret <> ''`,
      revoked.hook,
    ),
  }
}

/** What is used once or replaced, and soon over: none of it is journaled, so all of it ends. */
export const endForgotten = async (client: pg.Client) => ({
  join_secrets: await run(client, 'delete from fleet.join_secrets'),
  links:
    (await run(client, 'delete from identity.password_resets')) +
    (await run(client, 'delete from identity.email_proofs')),
  codes: await run(client, 'delete from identity.device_codes'),
  // As an expired one looks, which an admin can send again. One that was accepted or taken back since is open again.
  invitations: await run(
    client,
    `update workspaces.invitations set token_hash = null, expires_at = least(expires_at, platform.now())
     where status = 'pending' and (token_hash is not null or expires_at > platform.now())`,
  ),
})

const run = async (client: pg.Client, text: string, values: unknown[] = []): Promise<number> =>
  (await client.query(text, values)).rowCount ?? 0
