-- How tags are compared: as names are, and without surplus blanks.
create function memory.fold_tag(tag text) returns text
  language sql immutable parallel safe
  return btrim(regexp_replace(platform.fold_name(tag), '\s+', ' ', 'g'));

-- Which learnings went into which pattern. A learning takes part once: the row stays when the merge is undone, so that the
-- same learnings never become a second pattern. Without foreign keys, because deleted memories can be restored.
create table memory.merges (
  brand_id   int         not null,
  source_id  uuid        not null,
  pattern_id uuid        not null,
  agent_id   text        not null,
  -- Folded.
  tag        text        not null,
  created_at timestamptz not null default platform.now(),
  undone_at  timestamptz,
  -- The source has changed since the pattern was written.
  is_stale   boolean     not null default false,
  constraint merges_pkey primary key (brand_id, source_id),
  constraint merges_agent_fkey foreign key (brand_id, agent_id) references identity.agents (brand_id, agent_id)
);
create index merges_of_pattern on memory.merges (brand_id, pattern_id, source_id);
create index merges_stale on memory.merges (brand_id, pattern_id) where is_stale;
create index merges_of_tag on memory.merges (brand_id, agent_id, tag, pattern_id) where undone_at is null;

-- The tags of active memories, one row for each, kept by a trigger: operators of arrays are not leakproof, so no index of
-- arrays is used under row-level security.
create table memory.tag_uses (
  brand_id     int         not null,
  agent_id     text        not null,
  tag          text        not null,
  memory_id    uuid        not null,
  -- A learning that has not taken part in a merge.
  is_open      boolean     not null,
  -- Nobody has looked at the tag since this row was written. Each writer has rows of its own, so writers do not meet.
  is_due       boolean     not null,
  -- Written while the agent had few memories, so how common the tag is says nothing.
  was_early    boolean     not null default false,
  leased_until timestamptz,
  constraint tag_uses_pkey primary key (brand_id, agent_id, tag, memory_id),
  constraint tag_uses_memory_fkey foreign key (brand_id, memory_id) references memory.memories (brand_id, id)
    on delete cascade
);
create index tag_uses_of_memory on memory.tag_uses (brand_id, memory_id);
create index tag_uses_open on memory.tag_uses (brand_id, agent_id, tag, memory_id) where is_open;
create index tag_uses_due on memory.tag_uses (brand_id, agent_id, tag) where is_due;
create index tag_uses_leased on memory.tag_uses (brand_id, agent_id, tag) where leased_until is not null;

do $$
declare name text;
begin
  foreach name in array array['merges', 'tag_uses'] loop
    execute format('alter table memory.%I enable row level security', name);
    execute format('alter table memory.%I force row level security', name);
    execute format('create policy tenant on memory.%I using (brand_id = (select platform.current_brand()))
      with check (brand_id = (select platform.current_brand()))', name);
    execute format('create policy system on memory.%I using ((select platform.is_system()))
      with check ((select platform.is_system()))', name);
  end loop;
end $$;

create function memory.keep_tag_uses() returns trigger
  language plpgsql as $$
declare
  is_open boolean;
  is_early boolean;
begin
  if tg_op = 'UPDATE' then
    delete from memory.tag_uses u where u.brand_id = new.brand_id and u.memory_id = new.id;
  end if;
  if new.status <> 'active' or new.tags = '{}' then
    return null;
  end if;
  is_open := new.kind = 'learning' and not exists (
    select from memory.merges g where g.brand_id = new.brand_id and g.source_id = new.id);
  is_early := is_open and (
    select count(*) <= 50 from (
      select from memory.memories m
      where m.brand_id = new.brand_id and m.agent_id = new.agent_id and m.status = 'active' limit 51) few);
  insert into memory.tag_uses (brand_id, agent_id, tag, memory_id, is_open, is_due, was_early)
  select distinct new.brand_id, new.agent_id, memory.fold_tag(t.tag), new.id, is_open, is_open, is_early
  from unnest(new.tags) as t (tag);
  return null;
end $$;
create trigger keep_tag_uses after insert on memory.memories
  for each row execute function memory.keep_tag_uses();
create trigger keep_tag_uses_again after update of kind, status, tags on memory.memories
  for each row when ((old.kind, old.status, old.tags) is distinct from (new.kind, new.status, new.tags))
  execute function memory.keep_tag_uses();

-- What is corrected or deleted must not live on in a pattern.
create function memory.mark_stale_merge() returns trigger
  language plpgsql as $$
declare
  source memory.memories := coalesce(new, old);
begin
  update memory.merges g set is_stale = true
  where g.brand_id = source.brand_id and g.source_id = source.id and g.undone_at is null;
  return null;
end $$;
create trigger mark_stale_merge after update of title, description, tags, body, status on memory.memories
  for each row when (old.status = 'merged' and (old.title, old.description, old.tags, old.body, old.status)
    is distinct from (new.title, new.description, new.tags, new.body, new.status))
  execute function memory.mark_stale_merge();
create trigger mark_stale_merge_again after update of status on memory.memories
  for each row when (old.status <> 'merged' and new.status = 'merged')
  execute function memory.mark_stale_merge();
create trigger mark_stale_merge_of_deleted after delete on memory.memories
  for each row when (old.status = 'merged') execute function memory.mark_stale_merge();
create trigger mark_stale_merge_of_restored after insert on memory.memories
  for each row when (new.status = 'merged') execute function memory.mark_stale_merge();

-- What is there already counts, and waits for the next learning with the tag.
select set_config('app.system', 'on', true);
insert into memory.tag_uses (brand_id, agent_id, tag, memory_id, is_open, is_due)
select distinct m.brand_id, m.agent_id, memory.fold_tag(t.tag), m.id, m.kind = 'learning', false
from memory.memories m cross join unnest(m.tags) as t (tag) where m.status = 'active';
select set_config('app.system', '', true);

alter table memory.history drop constraint history_action_known;
alter table memory.history add constraint history_action_known
  check (action in ('created', 'updated', 'verified', 'deleted', 'restored', 'merged', 'unmerged'));
