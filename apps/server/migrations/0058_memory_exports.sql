-- What was last written into the MEMORY.md of an agent.
create table memory.exports (
  brand_id   int         not null,
  agent_id   text        not null,
  state      text        not null default 'waiting',
  reason     text,
  -- Those in the section, so that an edited line finds its memory.
  memory_ids uuid[]      not null default '{}',
  lines      int         not null default 0,
  bytes      int         not null default 0,
  -- Another one as soon as somebody changes the file.
  file_mark  text,
  -- When to look again even if nobody changes anything: decay alone changes the order then. Until an export has come to
  -- its end, the time it was due.
  due_at     timestamptz not null default platform.now(),
  written_at timestamptz,
  checked_at timestamptz,
  constraint exports_pkey primary key (brand_id, agent_id),
  constraint exports_agent_fkey foreign key (brand_id, agent_id) references identity.agents (brand_id, agent_id),
  constraint exports_state_known check (state in ('waiting', 'written', 'untouched')),
  constraint exports_memory_ids_bounded check (cardinality(memory_ids) <= 150)
);

-- Agents one of whose memories has changed since the last export; one row, however many have.
create table memory.export_marks (
  brand_id int  not null,
  agent_id text not null,
  constraint export_marks_pkey primary key (brand_id, agent_id),
  constraint export_marks_agent_fkey foreign key (brand_id, agent_id) references identity.agents (brand_id, agent_id)
);

do $$
declare name text;
begin
  foreach name in array array['exports', 'export_marks'] loop
    execute format('alter table memory.%I enable row level security', name);
    execute format('alter table memory.%I force row level security', name);
    execute format('create policy tenant on memory.%I using (brand_id = (select platform.current_brand()))
      with check (brand_id = (select platform.current_brand()))', name);
    execute format('create policy system on memory.%I using ((select platform.is_system()))
      with check ((select platform.is_system()))', name);
  end loop;
end $$;

-- Writers of an agent share the row of its mark, so they do not wait for each other. An export takes the row away before it
-- reads the memories, and for that it waits for those who hold it: what it does not see is marked anew.
create function memory.mark_export(the_brand int, the_agent text) returns void
  language plpgsql as $$
begin
  loop
    perform from memory.export_marks where brand_id = the_brand and agent_id = the_agent for key share;
    exit when found;
    insert into memory.export_marks (brand_id, agent_id) values (the_brand, the_agent) on conflict do nothing;
    exit when found;
  end loop;
end $$;
create function memory.mark_export_of_row() returns trigger
  language plpgsql as $$
begin
  perform memory.mark_export(coalesce(new.brand_id, old.brand_id), coalesce(new.agent_id, old.agent_id));
  return null;
end $$;
create trigger mark_export after insert or delete on memory.memories
  for each row execute function memory.mark_export_of_row();
create trigger mark_export_again after update on memory.memories
  for each row when ((old.kind, old.title, old.description, old.body, old.status, old.importance, old.confidence,
      old.anchored_at)
    is distinct from (new.kind, new.title, new.description, new.body, new.status, new.importance, new.confidence,
      new.anchored_at))
  execute function memory.mark_export_of_row();

-- Agents that have memories already get their files as soon as there is a directory for them.
select set_config('app.system', 'on', true);
insert into memory.export_marks (brand_id, agent_id)
select distinct brand_id, agent_id from memory.memories;
select set_config('app.system', '', true);
