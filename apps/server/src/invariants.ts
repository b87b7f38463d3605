import type pg from 'pg'
import type { Outside } from '#platform/ctx/outside.ts'
import type { Storage } from '#platform/storage/storage.ts'

export interface Verdict {
  readonly id: string
  readonly claim: string
  /** What breaks it, a few of them; undefined where rows alone cannot tell. */
  readonly broken: readonly string[] | undefined
}

interface Invariant {
  readonly id: string
  readonly claim: string
  /** Selects what breaks it as `what`. */
  readonly sql: string
}

const shown = 20

// Unique keys are counted from the table itself, because an index that a restore has damaged would vouch for itself.
const invariants: readonly Invariant[] = [
  {
    id: 'I3',
    claim: 'every table of workspaces is behind row-level security that holds for its owner too',
    sql: `select c.oid::regclass::text as what from pg_class c
     join pg_namespace n on n.oid = c.relnamespace and n.nspname !~ '^(pg_|information_schema|pgboss|public)'
     join pg_policy p on p.polrelid = c.oid
     where c.relkind in ('r', 'p') and not (c.relrowsecurity and c.relforcerowsecurity) group by c.oid`,
  },
  {
    id: 'I4',
    claim: 'every workspace has an admin, unless it is being erased',
    sql: `select 'brand ' || b.id as what from identity.brands b
     where not exists (select from identity.memberships m where m.brand_id = b.id and m.role = 'admin' and m.status = 'active')
       and not exists (select from identity.brand_erasures e where e.brand_id = b.id)`,
  },
  {
    id: 'I5',
    claim: 'no effect of a job is in the ledger twice',
    sql: 'select key as what from jobs.effects group by key having count(*) > 1',
  },
  {
    id: 'I7',
    claim: 'a workspace has each employee at most once',
    sql: `select 'brand ' || brand_id || ', profile ' || profile_id as what from hires.hires
     where status in ('provisioning', 'active') group by brand_id, profile_id having count(*) > 1`,
  },
  {
    id: 'I13',
    claim: 'no entry of a feed lies behind the last stamp of its board, where no reader would find it',
    sql: `select 'board ' || b.id as what from boards.boards b
     where exists (select from boards.activity a where a.brand_id = b.brand_id and a.board_id = b.id
       and a.created_at > b.last_activity_at)`,
  },
  {
    id: 'I14',
    claim: 'a desk has one key and one secret to join with',
    sql: `select 'desk ' || desk_id as what from fleet.desk_keys group by desk_id having count(*) > 1
     union all select 'desk ' || desk_id from fleet.join_secrets group by desk_id having count(*) > 1`,
  },
  {
    id: 'I15',
    claim: 'a mail name belongs to one person, and a person has one current name',
    sql: `select 'a name of person ' || min(person_id) as what from mailboxes.names group by name having count(*) > 1
     union all select 'person ' || person_id from mailboxes.names where forwards_until is null
     group by person_id having count(*) > 1`,
  },
  {
    id: 'I16',
    claim: 'an address has at most one open invitation to a workspace',
    sql: `select 'brand ' || brand_id || ', invitation ' || min(id) as what from workspaces.invitations
     where status = 'pending' group by brand_id, email having count(*) > 1`,
  },
]

const untold: readonly (readonly [id: string, claim: string])[] = [
  ['I1, I2', 'what was acknowledged is there once: only its writers know what was'],
  ['I6, I9, I18', 'caps, misses and audit rows at the time of a change'],
  ['I10', 'installs of hires are derived from other rows: see verify-data'],
  ['I12, I17', 'patterns of lessons and digests of profiles: not checked here'],
  ['I11', 'files of agents lie outside the database'],
]

const objectKeys = `select object_key as key from boards.attachments
 union all select object_key from workspaces.member_photos
 union all select object_key from fleet.desk_photos`

/** The invariants of the product, as far as rows and objects show them. On a connection that sees all workspaces. */
export async function* checkInvariants(
  client: pg.Client,
  outside: Outside,
  storage: Storage,
): AsyncGenerator<Verdict> {
  for (const { id, claim, sql } of invariants) {
    const { rows } = await client.query<{ what: string }>(`${sql} limit ${shown}`)
    yield { id, claim, broken: rows.map(({ what }) => what) }
  }
  const claim = 'every file and picture that a row names is in the storage'
  yield { id: 'I8', claim, broken: await findLostObjects(client, outside, storage) }
  for (const [id, claim] of untold) yield { id, claim, broken: undefined }
}

async function findLostObjects(
  client: pg.Client,
  outside: Outside,
  storage: Storage,
): Promise<string[] | undefined> {
  const { rows } = await client.query<{ key: string }>(objectKeys)
  if (rows.length === 0) return []
  if (!storage.is_configured) return undefined
  const lost = new Set(rows.map(({ key }) => key))
  for (let after = ''; ; ) {
    const objects = await storage.list(outside, '', after === '' ? {} : { after })
    for (const { key } of objects) lost.delete(key)
    after = objects.at(-1)?.key ?? ''
    if (after === '') return [...lost].slice(0, shown)
  }
}
