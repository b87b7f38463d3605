-- Memories whose vector is missing or of an older text. Written by the commit that changes a text, once for each memory,
-- however often it changes: a worker embeds what is due, and deletes the row with the commit of the vector.
create table memory.embedding_queue (
  brand_id  int         not null,
  memory_id uuid        not null,
  -- Another one with each change of the text, so that a vector of an older text finds nothing to complete.
  mark      uuid        not null default gen_random_uuid(),
  attempts  int         not null default 0,
  -- While a worker has it, the end of its lease.
  due_at    timestamptz not null default platform.now(),
  constraint embedding_queue_pkey primary key (brand_id, memory_id),
  constraint embedding_queue_memory_fkey foreign key (brand_id, memory_id) references memory.memories (brand_id, id)
    on delete cascade
);
create index embedding_queue_due on memory.embedding_queue (brand_id, attempts, due_at);

alter table memory.embedding_queue enable row level security;
alter table memory.embedding_queue force row level security;
create policy tenant on memory.embedding_queue using (brand_id = (select platform.current_brand()))
  with check (brand_id = (select platform.current_brand()));
create policy system on memory.embedding_queue using ((select platform.is_system()))
  with check ((select platform.is_system()));

create function memory.queue_embedding() returns trigger
  language plpgsql as $$
begin
  insert into memory.embedding_queue (brand_id, memory_id) values (new.brand_id, new.id)
  on conflict (brand_id, memory_id)
  do update set mark = excluded.mark, attempts = excluded.attempts, due_at = excluded.due_at;
  return null;
end $$;
create trigger queue_embedding after insert on memory.memories
  for each row execute function memory.queue_embedding();
create trigger queue_embedding_again after update of title, description, tags, body on memory.memories
  for each row when ((old.title, old.description, old.tags, old.body) is distinct from (new.title, new.description, new.tags, new.body))
  execute function memory.queue_embedding();

-- How far the walk over all memories has come that finds those without a vector of the model in use. One row; another
-- model starts it again.
create table memory.embedding_walk (
  is_only   boolean not null default true,
  model     text    not null,
  dimension int     not null,
  at_brand  int     not null default 0,
  at_memory uuid    not null default '00000000-0000-0000-0000-000000000000',
  seen      bigint  not null default 0,
  is_done   boolean not null default false,
  constraint embedding_walk_pkey primary key (is_only),
  constraint embedding_walk_only_one check (is_only)
);
