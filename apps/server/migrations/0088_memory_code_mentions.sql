-- What memories may mean by code, in the form in which places and names of nodes are compared with it. What an index has
-- changed is looked up here, so that no other memory is read.
create table memory.code_mentions (
  brand_id  int  not null,
  key       text collate "C" not null,
  memory_id uuid not null,
  constraint code_mentions_pkey primary key (brand_id, key, memory_id),
  constraint code_mentions_memory_fkey foreign key (brand_id, memory_id) references memory.memories (brand_id, id)
    on delete cascade,
  constraint code_mentions_key_length check (octet_length(key) between 1 and 1700)
);
create index code_mentions_of_memory on memory.code_mentions (brand_id, memory_id);

-- Which index of a project is visible, and up to where memories that name what it has changed are in the queue.
create table memory.code_projects (
  brand_id       int  not null,
  project_id     uuid not null,
  shown          int  not null,
  walked         int  not null default 0,
  -- The last change of a node, and the last new node, whose memories are in the queue.
  change_version int  not null default 0,
  change_nid     int  not null default 0,
  new_nid        int  not null default 0,
  constraint code_projects_pkey primary key (brand_id, project_id),
  constraint code_projects_brand_fkey foreign key (brand_id) references identity.brands (id)
);
create index code_projects_due on memory.code_projects (brand_id, project_id) where walked < shown;

do $$
declare name text;
begin
  foreach name in array array['code_mentions', 'code_projects'] loop
    execute format('alter table memory.%I enable row level security', name);
    execute format('alter table memory.%I force row level security', name);
    execute format('create policy tenant on memory.%I using (brand_id = (select platform.current_brand()))
      with check (brand_id = (select platform.current_brand()))', name);
    execute format('create policy system on memory.%I using ((select platform.is_system()))
      with check ((select platform.is_system()))', name);
  end loop;
end $$;

-- What is left of it counts the indexes that have become visible. Who writes links holds the row.
drop index memory.code_walks_due;
alter table memory.code_walks drop column walked, drop column target, drop column at_memory;

-- Memories of before are looked at once, which stores what they mention.
insert into memory.code_link_queue (brand_id, memory_id) select brand_id, id from memory.memories
on conflict (brand_id, memory_id) do nothing;
