-- Code that memories name. Written in the background; a link stays when its code is gone, and says so.
create table memory.code_links (
  brand_id   int         not null,
  memory_id  uuid        not null,
  -- As the memory says it.
  mention    text        collate "C" not null,
  project_id uuid        not null,
  nid        int         not null,
  node_id    uuid        not null,
  kind       text        not null,
  -- Where the code is now, or was last.
  path       text        collate "C" not null,
  symbol     text        collate "C" not null,
  -- The commit that removed it; null while it is there.
  removed_in text,
  linked_at  timestamptz not null default platform.now(),
  constraint code_links_pkey primary key (brand_id, memory_id, mention),
  constraint code_links_memory_fkey foreign key (brand_id, memory_id) references memory.memories (brand_id, id)
    on delete cascade,
  constraint code_links_kind_known check (kind in ('folder', 'file', 'symbol')),
  constraint code_links_mention_length check (octet_length(mention) between 1 and 1600)
);
create index code_links_of_node on memory.code_links (brand_id, nid);

-- Memories whose links are missing or of an older text, once each.
create table memory.code_link_queue (
  brand_id  int  not null,
  memory_id uuid not null,
  -- Another one with each change of the text, so that links of an older text find nothing to complete.
  mark      uuid not null default gen_random_uuid(),
  constraint code_link_queue_pkey primary key (brand_id, memory_id),
  constraint code_link_queue_memory_fkey foreign key (brand_id, memory_id) references memory.memories (brand_id, id)
    on delete cascade
);

-- How often an index of the workspace has become visible, and up to which of them all its memories were looked at. Who
-- writes links holds the row, so that none is made to code that an index takes out at the same time.
create table memory.code_walks (
  brand_id  int    not null,
  shown     bigint not null default 0,
  walked    bigint not null default 0,
  -- What the walk that is under way began with, and the last memory that it has looked at.
  target    bigint not null default 0,
  at_memory uuid   not null default '00000000-0000-0000-0000-000000000000',
  constraint code_walks_pkey primary key (brand_id),
  constraint code_walks_brand_fkey foreign key (brand_id) references identity.brands (id)
);
create index code_walks_due on memory.code_walks (brand_id) where walked < shown;

do $$
declare name text;
begin
  foreach name in array array['code_links', 'code_link_queue', 'code_walks'] loop
    execute format('alter table memory.%I enable row level security', name);
    execute format('alter table memory.%I force row level security', name);
    execute format('create policy tenant on memory.%I using (brand_id = (select platform.current_brand()))
      with check (brand_id = (select platform.current_brand()))', name);
    execute format('create policy system on memory.%I using ((select platform.is_system()))
      with check ((select platform.is_system()))', name);
  end loop;
end $$;

create function memory.queue_code_links() returns trigger
  language plpgsql as $$
begin
  insert into memory.code_link_queue (brand_id, memory_id) values (new.brand_id, new.id)
  on conflict (brand_id, memory_id) do update set mark = excluded.mark;
  return null;
end $$;
create trigger queue_code_links after insert on memory.memories
  for each row execute function memory.queue_code_links();
create trigger queue_code_links_again after update of title, body on memory.memories
  for each row when ((old.title, old.body) is distinct from (new.title, new.body))
  execute function memory.queue_code_links();
