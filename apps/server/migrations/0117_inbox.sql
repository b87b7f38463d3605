create schema inbox;

-- Who may have entries: a view of its own, so that the statement which writes them is one.
create view inbox.readers with (security_invoker = true) as
  select brand_id, person_id, role from identity.memberships where status = 'active';

-- What waits for a person: one row for each subject and kind, which further causes renew.
create table inbox.entries (
  brand_id     int         not null,
  id           uuid        not null default gen_random_uuid(),
  person_id    int         not null,
  kind         text        not null,
  state        text        not null default 'unread',
  subject_kind text        not null,
  subject_id   text        not null,
  board_id     uuid,
  ref          text,
  title        text        not null,
  reason       text,
  -- Who caused it last, with the name as of then, and which person that is or works for.
  actor        jsonb,
  by_person    int,
  -- What a reader needs: a token this scope, and a person the role of an admin.
  scope        text,
  for_admins   boolean     not null default false,
  -- How often it was caused. Whoever marks it says what they have seen, so that a later cause is not marked with it.
  causes       int         not null default 1,
  created_at   timestamptz not null default platform.clock_now(),
  told_at      timestamptz not null default platform.clock_now(),
  -- Its place in lists: when it was told, or until when it sleeps. A sleeper whose time has come is unread.
  at           timestamptz not null default platform.clock_now(),
  -- When it is deleted.
  ends_at      timestamptz not null,
  constraint entries_pkey primary key (brand_id, id),
  constraint entries_one unique (brand_id, subject_kind, subject_id, kind, person_id),
  constraint entries_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint entries_kind_known check (kind in ('asks_you', 'review_wanted', 'broke', 'mentioned', 'assigned')),
  constraint entries_state_known check (state in ('unread', 'read', 'done', 'snoozed')),
  constraint entries_causes_positive check (causes > 0)
);
create index entries_listed on inbox.entries (brand_id, person_id, state, kind, at desc, id desc);
create index entries_ends on inbox.entries (ends_at);
-- Of one person over all workspaces, for their erasure.
create index entries_person on inbox.entries (person_id);
create index entries_by_person on inbox.entries (by_person) where by_person is not null;
alter table inbox.entries enable row level security;
alter table inbox.entries force row level security;
create policy tenant on inbox.entries
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on inbox.entries
  using ((select platform.is_system())) with check ((select platform.is_system()));
