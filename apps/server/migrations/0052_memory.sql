create schema memory;

-- When a memory leaves search: the moment its effective confidence falls below 0.3. Decay is a power of time, so this
-- moment never changes while nothing is written, and the memory that leaves last is the one with the highest effective
-- confidence now. An hour of decay (0.01%) passes as a rounding error, so that 0.3 itself is found (MEMO-20).
-- The same numbers stand in confidence.rules.ts.
create function memory.fades_at(confidence float8, anchored_at timestamptz, importance text) returns timestamptz
  language sql immutable parallel safe
  return case
    when confidence < 0.3 - 1e-9 then '-infinity'::timestamptz
    when importance = 'critical' then 'infinity'::timestamptz
    else anchored_at + make_interval(secs => 604800 * ln(0.3 / confidence) / ln(0.98::float8) + 3600)
  end;

create function memory.effective_confidence(confidence float8, anchored_at timestamptz, importance text, at timestamptz)
  returns float8
  language sql immutable parallel safe
  return case
    when importance = 'critical' then confidence
    else confidence * power(0.98::float8, greatest(0, extract(epoch from at - anchored_at)::float8) / 604800)
  end;

-- array_to_string depends on settings for some types; for text it does not.
create function memory.search_vector(title text, description text, tags text[], body text) returns tsvector
  language sql immutable parallel safe
  return setweight(to_tsvector('english', title), 'A')
    || setweight(to_tsvector('english', coalesce(description, '') || ' ' || array_to_string(tags, ' ')), 'B')
    || setweight(to_tsvector('english', body), 'C');

-- The words of a query as they are searched for; the longest, where there are too many. All of a query is plain text:
-- no character in it is an operator.
create function memory.lexemes(query text) returns text[]
  language sql immutable parallel safe
  return array(
    select lexeme from unnest(tsvector_to_array(to_tsvector('english', query))) as found (lexeme)
    order by length(lexeme) desc, lexeme limit 32);
-- Any of them. A memory that has all words of a question is rare, and one that has most of them is what is wanted.
create function memory.any_of(query text) returns tsquery
  language sql immutable parallel safe
  return coalesce((
    select string_agg('''' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''', ' | ')
    from unnest(memory.lexemes(query)) as words (lexeme)), '')::tsquery;

create table memory.memories (
  brand_id    int         not null,
  id          uuid        not null,
  agent_id    text        not null,
  kind        text        not null,
  title       text        not null,
  body        text        not null,
  description text,
  tags        text[]      not null default '{}',
  importance  text        not null default 'normal',
  status      text        not null default 'active',
  -- The value at `anchored_at`, from where it decays. Nothing ever writes a decayed value back by itself.
  confidence  float8      not null default 0.8,
  anchored_at timestamptz not null default platform.now(),
  verified_at timestamptz not null default platform.now(),
  -- A person has written or edited it: automation leaves it alone.
  is_locked   boolean     not null default false,
  -- Digest of the normalised title and body.
  text_hash   bytea       not null,
  version     int         not null default 1,
  created_by  jsonb       not null,
  updated_by  jsonb       not null,
  created_at  timestamptz not null default platform.now(),
  updated_at  timestamptz not null default platform.now(),
  fades_at    timestamptz not null generated always as (memory.fades_at(confidence, anchored_at, importance)) stored,
  search      tsvector    not null generated always as (memory.search_vector(title, description, tags, body)) stored,
  constraint memories_pkey primary key (brand_id, id),
  constraint memories_agent_fkey foreign key (brand_id, agent_id) references identity.agents (brand_id, agent_id),
  constraint memories_kind_known
    check (kind in ('decision', 'learning', 'pattern', 'preference', 'fact', 'summary')),
  constraint memories_importance_known check (importance in ('low', 'normal', 'high', 'critical')),
  constraint memories_status_known check (status in ('active', 'archived', 'merged')),
  constraint memories_confidence_range check (confidence between 0 and 1),
  constraint memories_title_length check (char_length(title) between 1 and 500),
  constraint memories_body_length check (char_length(body) between 1 and 10000),
  constraint memories_description_length check (char_length(description) <= 200)
);
-- Lists of each status and kind in the order of creation (ids are of version 7). What they include lets statistics be
-- counted from the index alone.
create index memories_of_brand on memory.memories (brand_id, status, kind, id)
  include (confidence, anchored_at, importance);
create index memories_of_agent on memory.memories (brand_id, agent_id, status, kind, id)
  include (confidence, anchored_at, importance);
-- The top of each kind: those that decay by when they leave, and those that do not by their confidence.
create index memories_top on memory.memories (brand_id, agent_id, kind, fades_at desc, created_at desc, id)
  where status = 'active' and importance <> 'critical';
create index memories_top_critical on memory.memories (brand_id, agent_id, kind, confidence desc, created_at desc, id)
  where status = 'active' and importance = 'critical';
create index memories_fading on memory.memories (brand_id, fades_at, id)
  where status = 'active' and importance <> 'critical';
create index memories_text_hash on memory.memories (brand_id, agent_id, text_hash);
-- Written at once and not through a list of pending entries, which every search would have to read as well.
create index memories_search on memory.memories using gin (brand_id, agent_id, search) with (fastupdate = off)
  where status = 'active';
create index memories_title on memory.memories using gin (brand_id, agent_id, title gin_trgm_ops)
  with (fastupdate = off) where status = 'active';

-- Follow by a job. Vectors of other models are never compared.
create table memory.embeddings (
  brand_id   int           not null,
  memory_id  uuid          not null,
  agent_id   text          not null,
  model      text          not null,
  dimension  int           not null,
  -- Of the text that was embedded.
  text_hash  bytea         not null,
  vector     halfvec not null,
  created_at timestamptz   not null default platform.now(),
  constraint embeddings_pkey primary key (brand_id, memory_id, model),
  constraint embeddings_memory_fkey foreign key (brand_id, memory_id) references memory.memories (brand_id, id)
    on delete cascade,
  constraint embeddings_dimension_fits check (vector_dims(vector) = dimension)
);
-- Read in full by every comparison, so never compressed and never kept elsewhere.
alter table memory.embeddings alter column vector set storage plain;
create index embeddings_of_agent on memory.embeddings (brand_id, agent_id, model, memory_id);

-- Every change of a memory, also of deleted ones. What was there after a change is what the next one found, or what is
-- there now.
create table memory.history (
  brand_id   int         not null,
  memory_id  uuid        not null,
  version    int         not null,
  action     text        not null,
  actor      jsonb       not null,
  reason     text,
  before     jsonb,
  created_at timestamptz not null default platform.now(),
  constraint history_pkey primary key (brand_id, memory_id, version),
  constraint history_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint history_action_known check (action in ('created', 'updated', 'verified', 'deleted', 'restored'))
);
create index history_deleted on memory.history (created_at) where action = 'deleted';

-- What a person has deleted must not come back by extraction: its digest, and its vectors as they were.
create table memory.tombstones (
  brand_id   int            not null,
  agent_id   text           not null,
  memory_id  uuid           not null,
  text_hash  bytea          not null,
  model      text,
  vector     halfvec,
  deleted_by jsonb          not null,
  created_at timestamptz    not null default platform.now(),
  constraint tombstones_pkey primary key (brand_id, memory_id),
  constraint tombstones_agent_fkey foreign key (brand_id, agent_id) references identity.agents (brand_id, agent_id)
);
create index tombstones_text_hash on memory.tombstones (brand_id, agent_id, text_hash);

do $$
declare name text;
begin
  foreach name in array array['memories', 'embeddings', 'history', 'tombstones'] loop
    execute format('alter table memory.%I enable row level security', name);
    execute format('alter table memory.%I force row level security', name);
    execute format('create policy tenant on memory.%I using (brand_id = (select platform.current_brand()))
      with check (brand_id = (select platform.current_brand()))', name);
    execute format('create policy system on memory.%I using ((select platform.is_system()))
      with check ((select platform.is_system()))', name);
    -- MEMO-67: what was answered 504 must not be committed afterwards.
    execute format('create constraint trigger commit_limit after insert or update or delete on memory.%I
      deferrable initially deferred for each row
      when (platform.has_commit_limit()) execute function platform.check_commit_limit()', name);
  end loop;
end $$;
