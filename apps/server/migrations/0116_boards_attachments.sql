-- Files of cards. Their bytes are objects of the storage; an object without a row is swept.
create table boards.attachments (
  brand_id     int         not null,
  card_id      uuid        not null,
  id           uuid        not null default gen_random_uuid(),
  object_key   text        not null,
  name         text        not null,
  content_type text        not null,
  size         bigint      not null,
  sha256       text        not null,
  -- How a text begins.
  preview      text,
  created_by   jsonb       not null,
  created_at   timestamptz not null default platform.clock_now(),
  constraint attachments_pkey primary key (brand_id, id),
  -- No two rows share an object.
  constraint attachments_object_key_key unique (brand_id, object_key),
  constraint attachments_card_fkey foreign key (brand_id, card_id) references boards.cards (brand_id, id)
    on delete cascade,
  constraint attachments_sha256_form check (sha256 ~ '^[0-9a-f]{64}$')
);
create index attachments_card on boards.attachments (brand_id, card_id, created_at, id);
alter table boards.attachments enable row level security;
alter table boards.attachments force row level security;
create policy tenant on boards.attachments
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on boards.attachments
  using ((select platform.is_system())) with check ((select platform.is_system()));

-- What the files of a workspace take, so that its limit needs no sum. Who writes it has locked a board before, and locks
-- nothing after it.
create table boards.attachment_sums (
  brand_id int    not null,
  id       uuid   not null default gen_random_uuid(),
  files    bigint not null default 0,
  bytes    bigint not null default 0,
  constraint attachment_sums_pkey primary key (brand_id),
  constraint attachment_sums_brand_fkey foreign key (brand_id) references identity.brands (id)
);
alter table boards.attachment_sums enable row level security;
alter table boards.attachment_sums force row level security;
create policy tenant on boards.attachment_sums
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on boards.attachment_sums
  using ((select platform.is_system())) with check ((select platform.is_system()));

create function boards.count_attachments() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update boards.cards set attachments_count = attachments_count + 1
    where brand_id = new.brand_id and id = new.card_id;
    insert into boards.attachment_sums as s (brand_id, files, bytes) values (new.brand_id, 1, new.size)
    on conflict (brand_id) do update set files = s.files + 1, bytes = s.bytes + excluded.bytes;
  else
    update boards.cards set attachments_count = attachments_count - 1
    where brand_id = old.brand_id and id = old.card_id;
    update boards.attachment_sums set files = files - 1, bytes = bytes - old.size where brand_id = old.brand_id;
  end if;
  return null;
end $$;
create trigger attachments_counted after insert or delete on boards.attachments
  for each row execute function boards.count_attachments();

-- Where the sweep of the stored objects goes on; one row, for all workspaces.
create table boards.attachment_sweeps (
  only_row  boolean not null default true,
  after_key text    not null default '',
  constraint attachment_sweeps_pkey primary key (only_row),
  constraint attachment_sweeps_one_row check (only_row)
);
insert into boards.attachment_sweeps default values;
