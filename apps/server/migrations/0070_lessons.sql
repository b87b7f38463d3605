create schema lessons;

-- What the lessons of a project correspond to. Whoever writes lessons or anchors of a project locks this row first.
create table lessons.states (
  brand_id      int         not null,
  project_id    uuid        not null,
  -- Of the visible index that all anchors, the closure and stale flags correspond to; 0 while there is none.
  index_version int         not null default 0,
  -- Of the last index whose files were read, and what came out of it.
  commit_id     text,
  files         int         not null default 0,
  -- The first of them with reasons.
  refused       jsonb       not null default '[]',
  refused_total int         not null default 0,
  synced_at     timestamptz,
  constraint states_pkey primary key (brand_id, project_id),
  constraint states_project_fkey foreign key (brand_id, project_id) references code_index.projects (brand_id, id)
);

create table lessons.lessons (
  brand_id      int         not null,
  -- Inside only, and in the order of slugs among those of one sync. Others know a lesson by project and slug.
  id            uuid        not null,
  project_id    uuid        not null,
  -- `<area>/<slug>` of the file `lessons/<area>/<slug>.md`.
  slug          text        collate "C" not null,
  -- All before the last slash.
  area          text        collate "C" not null generated always as (regexp_replace(slug, '/[^/]*$', '')) stored,
  type          text        collate "C" not null,
  title         text        not null,
  body          text        not null,
  is_pinned     boolean     not null,
  author        text,
  card_ref      text,
  -- Slugs of the same project.
  supersedes    text[]      not null default '{}',
  is_retired    boolean     not null,
  -- `removed`: its file is gone. Only live ones are counted and returned.
  status        text        not null default 'live',
  -- The commit that removed its code; null while it is not stale.
  stale_in      text,
  -- Who has it: `call` until the repository has a file of this name.
  origin        text        not null,
  -- Version of the reader and id of the blob that it was read from.
  file_digest   text        collate "C" not null,
  -- The whole file, since a corrected one is made from it.
  file_text     text        not null,
  created_at    timestamptz not null default platform.now(),
  updated_at    timestamptz not null default platform.now(),
  constraint lessons_pkey primary key (brand_id, id),
  constraint lessons_project_fkey foreign key (brand_id, project_id) references code_index.projects (brand_id, id),
  constraint lessons_slug_key unique (brand_id, project_id, slug),
  constraint lessons_status_known check (status in ('live', 'retired', 'superseded', 'removed')),
  constraint lessons_origin_known check (origin in ('repository', 'call')),
  constraint lessons_slug_length check (octet_length(slug) between 3 and 300),
  constraint lessons_type_length check (char_length(type) between 1 and 40),
  constraint lessons_title_length check (char_length(title) between 1 and 200),
  constraint lessons_body_length check (char_length(body) between 1 and 20000)
);
create index lessons_live on lessons.lessons (brand_id, project_id, area, slug) where status = 'live';
create index lessons_stale on lessons.lessons (brand_id, project_id, area, slug)
  where status = 'live' and stale_in is not null;
create index lessons_superseding on lessons.lessons (brand_id, project_id) where supersedes <> '{}';

create table lessons.anchors (
  brand_id        int     not null,
  lesson_id       uuid    not null,
  position        int     not null,
  project_id      uuid    not null,
  -- As the file says it.
  raw_text        text    not null,
  -- Where its code is now, or was last; as it was read while nothing was found.
  path            text    collate "C" not null,
  symbol          text    collate "C" not null,
  is_folder       boolean not null,
  -- Small id of its node; null while nothing was ever found there.
  nid             int,
  -- The commit that removed the node, and the version of the index that saw it; null while the node is live.
  removed_in      text,
  removed_version int,
  constraint anchors_pkey primary key (brand_id, lesson_id, position),
  constraint anchors_lesson_fkey foreign key (brand_id, lesson_id) references lessons.lessons (brand_id, id)
    on delete cascade,
  constraint anchors_path_length check (octet_length(path) between 1 and 1024),
  constraint anchors_symbol_length check (octet_length(symbol) <= 512),
  constraint anchors_removed check ((removed_in is null) = (removed_version is null) and (nid is not null or removed_in is null))
);
-- By node when nodes change, by text for search, and those that still have no node.
create index anchors_of_node on lessons.anchors (brand_id, nid) where nid is not null;
create index anchors_of_place on lessons.anchors (brand_id, path, symbol);
create index anchors_open on lessons.anchors (brand_id, project_id, lesson_id, position) where nid is null;

-- For each live lesson the nodes of its live anchors and all that contain them, once each. `dist` is the way from the
-- anchor up to the node; 0 is the anchor itself.
create table lessons.anchor_ups (
  brand_id   int         not null,
  lesson_id  uuid        not null,
  nid        int         not null,
  dist       smallint    not null,
  is_pinned  boolean     not null,
  created_at timestamptz not null,
  constraint anchor_ups_pkey primary key (brand_id, lesson_id, nid),
  constraint anchor_ups_lesson_fkey foreign key (brand_id, lesson_id) references lessons.lessons (brand_id, id)
    on delete cascade
);
create index anchor_ups_of_node on lessons.anchor_ups (brand_id, nid, is_pinned desc, created_at desc, lesson_id)
  include (dist);
create index anchor_ups_exact on lessons.anchor_ups (brand_id, nid, is_pinned desc, created_at desc, lesson_id)
  where dist = 0;

-- Follow by a job. Vectors of other models are never compared.
create table lessons.vectors (
  brand_id   int         not null,
  lesson_id  uuid        not null,
  model      text        not null,
  dimension  int         not null,
  -- Of the text that was embedded.
  text_hash  bytea       not null,
  vector     halfvec     not null,
  created_at timestamptz not null default platform.now(),
  constraint vectors_pkey primary key (brand_id, lesson_id),
  constraint vectors_lesson_fkey foreign key (brand_id, lesson_id) references lessons.lessons (brand_id, id)
    on delete cascade,
  constraint vectors_dimension_fits check (vector_dims(vector) = dimension)
);
-- Read in full by every comparison, so never compressed and never kept elsewhere.
alter table lessons.vectors alter column vector set storage plain;

-- Lessons whose vector is missing or of an older text, once each, as in the module of memories.
create table lessons.vector_queue (
  brand_id  int         not null,
  lesson_id uuid        not null,
  -- Another one with each change of the text, so that a vector of an older text finds nothing to complete.
  mark      uuid        not null default gen_random_uuid(),
  attempts  int         not null default 0,
  -- While a worker has it, the end of its lease.
  due_at    timestamptz not null default platform.now(),
  constraint vector_queue_pkey primary key (brand_id, lesson_id),
  constraint vector_queue_lesson_fkey foreign key (brand_id, lesson_id) references lessons.lessons (brand_id, id)
    on delete cascade
);
create index vector_queue_due on lessons.vector_queue (brand_id, attempts, due_at);
create index vector_queue_due_at on lessons.vector_queue (due_at);

create function lessons.queue_vector() returns trigger
  language plpgsql as $$
begin
  insert into lessons.vector_queue (brand_id, lesson_id) values (new.brand_id, new.id)
  on conflict (brand_id, lesson_id)
  do update set mark = excluded.mark, attempts = excluded.attempts, due_at = excluded.due_at;
  return null;
end $$;
create trigger queue_vector after insert on lessons.lessons
  for each row execute function lessons.queue_vector();
create trigger queue_vector_again after update of body on lessons.lessons
  for each row when (old.body is distinct from new.body) execute function lessons.queue_vector();

-- How far the walk over all lessons has come that finds those without a vector of the model in use. One row; another
-- model starts it again.
create table lessons.vector_walk (
  is_only   boolean not null default true,
  model     text    not null,
  dimension int     not null,
  at_brand  int     not null default 0,
  at_lesson uuid    not null default '00000000-0000-0000-0000-000000000000',
  is_done   boolean not null default false,
  constraint vector_walk_pkey primary key (is_only),
  constraint vector_walk_only_one check (is_only)
);

-- What happened to a lesson: its file, its state, and its code. The latest are kept.
create table lessons.history (
  brand_id   int         not null,
  lesson_id  uuid        not null,
  n          int         not null,
  action     text        not null,
  -- Of the repository, where one is the cause.
  commit_id  text,
  -- `[{"from": …, "to": …}]` of anchors that moved; the file that was there before a change.
  detail     jsonb       not null default '{}',
  created_at timestamptz not null default platform.now(),
  constraint history_pkey primary key (brand_id, lesson_id, n),
  constraint history_lesson_fkey foreign key (brand_id, lesson_id) references lessons.lessons (brand_id, id)
    on delete cascade,
  constraint history_action_known check (action in ('created', 'changed', 'removed', 'moved', 'stale', 'revived'))
);

-- The truth of `anchor_ups` for one lesson, worked out from the nodes themselves. For the check of stored data alone: who
-- writes asks the module of the code index.
create function lessons.true_ups(of_brand int, of_lesson uuid) returns table (nid int, dist int)
  language sql stable as $$
  with recursive up as (
    select n.nid, n.parent_nid, 0 as dist
    from lessons.lessons l
    join lessons.anchors a on a.brand_id = l.brand_id and a.lesson_id = l.id
    join code_index.nodes n on n.brand_id = a.brand_id and n.nid = a.nid and n.is_live
    where l.brand_id = of_brand and l.id = of_lesson and l.status = 'live'
    union
    select n.nid, n.parent_nid, u.dist + 1
    from up u join code_index.nodes n on n.brand_id = of_brand and n.nid = u.parent_nid)
  select u.nid, min(u.dist) from up u group by u.nid
$$;

do $$
declare name text;
begin
  foreach name in array array['states', 'lessons', 'anchors', 'anchor_ups', 'vectors', 'vector_queue', 'history'] loop
    execute format('alter table lessons.%I enable row level security', name);
    execute format('alter table lessons.%I force row level security', name);
    execute format('create policy tenant on lessons.%I using (brand_id = (select platform.current_brand()))
      with check (brand_id = (select platform.current_brand()))', name);
    execute format('create policy system on lessons.%I using ((select platform.is_system()))
      with check ((select platform.is_system()))', name);
  end loop;
end $$;
