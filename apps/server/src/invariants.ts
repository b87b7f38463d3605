import { maxGrantsPerHour, maxHiresPerHour } from '@crewhall/contracts/hires/refusals.ts'
import type pg from 'pg'

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
    id: 'I1',
    claim: 'every card that the feed says was created is there, and has a number that its board gave out',
    sql: `select 'card ' || a.card_id as what from boards.activity a
     where a.action = 'task.created' and a.card_id is not null
       and not exists (select from boards.cards c where c.brand_id = a.brand_id and c.id = a.card_id)
       and not exists (select from identity.brand_erasures e where e.brand_id = a.brand_id)
     union all select 'card ' || c.id from boards.cards c
     join boards.boards b on b.brand_id = c.brand_id and b.id = c.board_id where c.number >= b.next_number`,
  },
  {
    id: 'I2',
    claim: 'no card has the number of another, or was made twice from one reference',
    sql: `select 'board ' || board_id || ', number ' || number as what from boards.cards
     group by brand_id, board_id, number having count(*) > 1
     union all select 'board ' || board_id || ', reference ' || client_ref from boards.cards
     where client_ref is not null group by brand_id, board_id, client_ref having count(*) > 1`,
  },
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
    id: 'I6',
    claim: 'no workspace and no operator has hired more often within an hour than is allowed',
    sql: `select 'brand ' || brand_id || ', hire ' || id as what from (
       select *, lag(created_at, ${maxHiresPerHour}) over (partition by brand_id order by created_at) as before
       from hires.hires where not is_grant) h
     where created_at - before < interval '59 minutes 59 seconds'
     union all select 'grant of hire ' || hire_id from (
       select *, lag(created_at, ${maxGrantsPerHour}) over (partition by admin order by created_at) as before
       from hires.grants) g
     where created_at - before < interval '59 minutes 59 seconds'`,
  },
  {
    id: 'I7',
    claim: 'a workspace has each employee at most once',
    sql: `select 'brand ' || brand_id || ', profile ' || profile_id as what from hires.hires
     where status in ('provisioning', 'active') group by brand_id, profile_id having count(*) > 1`,
  },
  {
    id: 'I9',
    claim: 'no desk became unreachable by a check before its third miss in a row',
    sql: `select 'desk ' || desk_id || ', event ' || seq as what from fleet.health_events
     where kind = 'check' and state = 'unreachable' and from_state <> 'unreachable' and misses < 3`,
  },
  {
    id: 'I12',
    claim: 'a learning is part of one pattern, and a pattern is of one agent and one tag',
    sql: `select 'memory ' || source_id as what from memory.merges group by brand_id, source_id having count(*) > 1
     union all select 'pattern ' || pattern_id from memory.merges
     group by brand_id, pattern_id having count(distinct (agent_id, tag)) > 1`,
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
  {
    id: 'I17',
    claim: 'what a build gets of a coder profile is what the last change of each setting says',
    sql: `select 'brand ' || c.brand_id || ', ' || c.profile_key || ' ' || c.field as what from (
       select distinct on (brand_id, profile_key, field) * from profiles.changes
       order by brand_id, profile_key, field, id desc) c
     left join profiles.overrides o on o.brand_id = c.brand_id and o.profile_key = c.profile_key
     where c.new_value is distinct from
       case c.field when 'model' then o.model when 'effort' then o.effort else o.limit_value::text end`,
  },
  {
    id: 'I18',
    claim: 'every hire, desk and invitation has the audit entry of whoever made it',
    sql: `select target as what from (
       select brand_id, created_at, 'hire.requested' as action, 'hire:' || id as target from hires.hires
       union all select brand_id, created_at, 'desk.ordered', 'desk:' || id from fleet.desks
       union all select brand_id, created_at, 'invitation.created', 'invitation:' || id from workspaces.invitations) m
     where created_at >= coalesce((select kept_since from platform.horizons where list = 'platform.audit_entries'), '-infinity')
       and not exists (select from platform.audit_entries e
         where e.brand_id = m.brand_id and e.action = m.action and e.target = m.target)`,
  },
]

// What no row says, and who does.
const untold: readonly (readonly [id: string, claim: string])[] = [
  [
    'I1, I2',
    'beyond cards: what was acknowledged is known to its writers alone; .ci/drills restore has such writers',
  ],
  [
    'I3',
    'tables without a policy are not looked at; that a row is of the workspace it names, nothing but the row says',
  ],
  [
    'I5',
    'what was due and never happened is in no ledger, so it is not missed; nor is what happened outside and is not noted',
  ],
  ['I6', 'caps of desks: a plan may have changed since the order, and rows keep only what it is now'],
  [
    'I8',
    'objects that no row names are not looked for; of those that are named sizes are compared, not bytes',
  ],
  ['I9', 'that the canary of the poller answered at that time is not written down'],
  [
    'I10',
    'that an install is on as long as a hire needs it: verify-data counts what hires refer to, and not what is on or off',
  ],
  ['I11', 'files of agents lie on the disks of desks, outside of database and storage'],
  ['I18', 'other changes than these three: most leave no row that an entry could be missed for'],
]

/** The invariants of the product, as far as rows show them. On a connection that sees all workspaces. */
export async function* checkInvariants(client: pg.Client): AsyncGenerator<Verdict> {
  for (const { id, claim, sql } of invariants) {
    const { rows } = await client.query<{ what: string }>(`${sql} limit ${shown}`)
    yield { id, claim, broken: rows.map(({ what }) => what) }
  }
  for (const [id, claim] of untold) yield { id, claim, broken: undefined }
}
