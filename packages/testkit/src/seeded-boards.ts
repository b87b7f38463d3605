import { adminUrl, connectTo } from './databases.ts'

/** What the measured calls need to know of a filled database. */
export interface SeededBoards {
  /** The workspace of the big board. */
  readonly brand_id: number
  readonly big_board: string
  readonly big_count: number
  /** Twenty boards of that workspace, for reads over several. */
  readonly some_boards: readonly string[]
}

/**
 * At scale 1: 2,000 boards of 50 workspaces, 1,000,000 cards of which one board has 100,000 and its workspace 300,000, and
 * 10,000,000 entries of activity. Smaller scales keep enough boards for reads over twenty of them.
 */
export const sizesOf = (scale: number) => ({
  brands: Math.max(2, Math.round(50 * scale)),
  boards: Math.max(60, Math.round(2000 * scale)),
  /** Of them in the workspace of the big one, which so has 300,000 cards. */
  of_big: Math.max(30, Math.round(445 * scale)),
  big: Math.max(2000, Math.round(100_000 * scale)),
  cards: Math.max(8000, Math.round(1_000_000 * scale)),
  entries: Math.max(20_000, Math.round(10_000_000 * scale)),
})
export type Sizes = ReturnType<typeof sizesOf>

/**
 * In few statements over whole sets. As superuser, because a session that checks no foreign keys and no policies
 * is ten times as fast; the rows come out of each other, so there is nothing to find. Further indexes of the
 * cards are made afterwards. Settings are those of the session, so nobody else on the server notices.
 */
export async function seedBoards(name: string, sizes: Sizes): Promise<void> {
  const client = await connectTo(adminUrl(name))
  try {
    await client.query(`
      set session_replication_role = replica; set synchronous_commit = off; set jit = off;
      set work_mem = '512MB'; set maintenance_work_mem = '512MB'; set max_parallel_workers_per_gather = 0`)
    const { rows } = await client.query<{ name: string; definition: string }>(laterIndexes)
    for (const index of rows) await client.query(`drop index boards.${index.name}`)
    for (const statement of fill(sizes)) await client.query(statement)
    for (const index of rows) await client.query(index.definition)
    // Months to come are left alone, as the server itself leaves what nobody has written to.
    const { rows: months } = await client.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits
       where inhparent = 'boards.activity'::regclass and pg_relation_size(inhrelid) > 0`,
    )
    await client.query(`vacuum analyze boards.boards, boards.columns, boards.cards, boards.card_texts,
      boards.comments, boards.search_texts, boards.sums, boards.board_ids, identity.brands, ${months.map(({ name }) => name).join(', ')}`)
  } finally {
    await client.end()
  }
}

export async function readSeeded(name: string): Promise<SeededBoards> {
  const client = await connectTo(adminUrl(name))
  try {
    const { rows } = await client.query<SeededBoards>(
      `with big as (select brand_id, id, card_count from boards.boards order by card_count desc, id limit 1)
       select brand_id, id as big_board, card_count as big_count,
         array(select b.id from boards.boards b where b.brand_id = big.brand_id and b.id <> big.id
               order by b.name, b.id limit 20)::text[] as some_boards
       from big`,
    )
    const [found] = rows
    if (!found) throw new Error(`${name} has no boards`)
    return found
  } finally {
    await client.end()
  }
}

const laterIndexes = `select indexrelid::regclass::text as full_name, c.relname as name,
    pg_get_indexdef(indexrelid) as definition
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indrelid in ('boards.cards'::regclass, 'boards.search_texts'::regclass)
    and not exists (select from pg_constraint k where k.conindid = i.indexrelid)`

/** Titles of about 80 characters, descriptions of a few lines; a third of the cards has a branch. */
const words = `array['Add','Fix','Remove','Measure','Document','Rewrite','Speed up','Test','Review','Move']`
const things = `array['sign-in page','export of invoices','token rotation','search index','mail queue',
  'webhook retries','picture upload','audit trail','keyboard shortcuts','onboarding tour','rate limiter',
  'calendar view','dark theme','billing report','import from files','backup check']`
const reasons = `array['because customers wait too long for it','so that agents can do it alone',
  'as agreed in the weekly review','before the next release goes out','after the incident of last month']`
const pick = (list: string, by: string) => `(${list})[1 + (${by}) % cardinality(${list})]`
const member = (by: string) =>
  `jsonb_build_object('kind', 'member', 'id', (${by})::text, 'name', 'Member ' || (${by}), 'on_behalf_of', null)`
const hashOf = (by: string) => `(hashint8(${by}) & 2147483647)`

/** A key of fractional indexing, so that cards can be moved between seeded ones. */
const digits = `'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'`
const digit = (by: string) => `substr(${digits}, 1 + (${by}) % 62, 1)`
const rankOf = (n: string) =>
  `'d' || ${digit(`${n} / 238328`)} || ${digit(`${n} / 3844`)} || ${digit(`${n} / 62`)} || ${digit(n)}`
const letter = (by: string) => `chr(65 + (${by}) % 26)`

function* fill({ brands, boards, of_big, big, cards, entries }: Sizes): Generator<string> {
  yield `insert into identity.brands (name, plan_key, scope_ceiling)
    select 'Brand ' || n, key, scope_ceiling
    from generate_series(1, ${brands}) n, (select key, '{}'::text[] as scope_ceiling from identity.plans limit 1) p`

  // Board 0 is the big one; the boards go round the workspaces.
  yield `create temp table seeded as
    select n, gen_random_uuid() as id, (select min(id) from identity.brands)
        + case when n < ${of_big} then 0 else 1 + n % ${brands - 1} end as brand_id,
      case when n = 0 then ${big} else (${cards} - ${big}) / (${boards} - 1)
        + (n <= (${cards} - ${big}) % (${boards} - 1))::int end as card_count
    from generate_series(0, ${boards} - 1) n`
  yield `insert into boards.boards
      (brand_id, id, key, name, board_type, description, next_number, card_count, last_activity_at,
       created_at)
    select brand_id, id, 'BD' || ${letter('n / 676')} || ${letter('n / 26')} || ${letter('n')}, 'Board ' || n,
      case when n % 2 = 0 then 'kanban' else 'product' end, 'What team ' || n || ' works on', card_count + 1,
      card_count, platform.now(), platform.now() - interval '2 years'
    from seeded`
  yield 'insert into boards.board_ids (id) select id from seeded'

  // Deep pages are dearest where one column holds most of the cards.
  yield `insert into boards.columns (brand_id, board_id, name, name_key, status, rank, card_count)
    select s.brand_id, s.id, k.name, lower(k.name), k.status, k.rank,
      floor(s.card_count * k.upto) - floor(s.card_count * (k.upto - k.share))
    from seeded s, (values ('To do', 'pending', 'a0', 0.7, 0.7), ('In progress', 'in_progress', 'a1', 0.75, 0.05),
      ('Review', 'review', 'a2', 0.8, 0.05), ('Done', 'done', 'a3', 1.0, 0.2)) k (name, status, rank, upto, share)`

  // Cards of all boards are strewn over the table, as those of a grown one are: a page of 100 is on 100 pages.
  yield `create temp table places as
    select k.*, n, before + n as number, ${hashOf('before * 1000003 + n * 7919 + ord')} as h
    from (select *, row_number() over (order by board_id, rank) as ord,
        sum(card_count) over (partition by board_id order by rank) - card_count as before from boards.columns) k
    cross join lateral generate_series(1, k.card_count) n
    order by h`
  yield `insert into boards.cards (brand_id, board_id, number, column_id, rank, title, status, task_type, priority,
      labels, estimate, description, assignee, reporter, created_by, updated_by, repository, branch, base_branch,
      pr_number, pr_url, pr_state, agent_context, comments_count, checklist_total, checklist_done, version,
      created_at, updated_at, moved_at, started_at, completed_at, due_at)
    select brand_id, board_id, number, id, ${rankOf('n')},
      ${pick(words, 'h')} || ' the ' || ${pick(things, 'h / 10')} || ' of part ' || h % 1000 || ' for team ' || h % 89 || ', '
        || ${pick(reasons, 'h / 160')}, status,
      ${pick(`array['coding','docs','research','design','test']`, 'h')},
      ${pick(`array['none','none','low','medium','high','urgent']`, 'h / 7')},
      (array['api','web','ops','urgent customer','good first task'])[1 + h % 5 : 1 + h % 5 + h % 3],
      case when h % 3 = 0 then h % 8 end,
      repeat('It is about the ' || ${pick(things, 'h / 10')} || ', which is used every day. ', 1 + h % 5),
      case when h % 5 < 3 then ${member('h % 50')} - 'on_behalf_of' end,
      ${member('h % 50')}, ${member('h % 50')}, ${member('h % 49')},
      'core', case when h % 3 = 0 then 'work/' || lower(${pick(words, 'h')}) || '-' || number end, 'main',
      case when h % 3 = 0 then 1 + h % 9999 end,
      case when h % 3 = 0 then 'https://git.example/core/pull/' || 1 + h % 9999 end,
      case when h % 3 = 0 then (array['draft','open','merged','closed'])[1 + h % 4] end,
      case when h % 4 = 0 then '{"profile": "claude.hard"}'::jsonb else '{}' end,
      h % 4, 5, h % 6, 1 + h % 9,
      at - interval '30 days', at, at, case when status <> 'pending' then at end,
      case when status = 'done' then at end, case when h % 6 = 0 then at + interval '60 days' end
    from (select *, platform.now() - (h % 31536000) * interval '1 second' - number * interval '1 microsecond' as at
          from places) p`
  yield `insert into boards.card_texts (brand_id, card_id, instructions, acceptance_criteria)
    select brand_id, id, repeat('Do this first, and then that. ', 1 + number % 6),
      repeat(E'- [ ] It works\\n', 1 + number % 6) from boards.cards`

  yield `insert into boards.comments (brand_id, card_id, body, author)
    select brand_id, id, 'Seen again in build ' || ${hashOf('number * 31')} % 5000 || ', and ' || ${pick(reasons, 'number')},
      reporter from boards.cards where number % 5 = 0`
  // Triggers do that otherwise.
  yield 'call boards.fill_search_texts()'
  yield 'call boards.fill_labels()'
  yield 'call boards.fill_sums()'

  // In the order of time over all boards, so that the newest of one board are strewn too. The big one is busiest.
  yield `create temp table turns as
    select row_number() over (order by random()) as turn, id, brand_id, card_count from (
      select * from seeded union all
      select s.* from seeded s, generate_series(1, ${Math.round(boards / 10)}) where s.n = 0) s`
  yield 'analyze turns, boards.cards'
  yield `insert into boards.activity (brand_id, board_id, created_at, action, card_id, actor, data)
    select t.brand_id, t.id, platform.now() - (rounds - n) * interval '1 minute' + turn * interval '1 millisecond',
      ${pick(`array['task.created','task.updated','task.moved','task.commented']`, 'n + turn')}, c.id,
      ${member('(n + turn) % 50')},
      jsonb_build_object('ref', 'BD-' || c.number, 'from_column', 'To do', 'to_column', 'In progress')
    from (select ceil(${entries}::numeric / count(*))::int as rounds, count(*)::int as per_round from turns) r
    cross join lateral generate_series(1, rounds) n
    cross join lateral (select * from turns order by turn
      limit case when n = rounds then ${entries} - (rounds - 1) * per_round else per_round end) t
    left join boards.cards c on c.board_id = t.id and c.brand_id = t.brand_id
      and c.number = 1 + ${hashOf('n * 31 + turn')} % t.card_count`
  // No entry is newer than the last stamp of its board.
  yield `update boards.boards b set last_activity_at = a.last_at
    from (select board_id, max(created_at) as last_at from boards.activity group by 1) a where a.board_id = b.id`
}
