-- Answers kept for a day: whoever lost one asks again with the same Idempotency-Key, and the work is done once.
create table platform.kept_answers (
  brand_id   int         not null,
  -- Of the credential, the method, the path and the key.
  digest     bytea       not null,
  -- Of everything that was asked, to tell the same request from another one with the same key.
  request    bytea       not null,
  status     int         not null,
  headers    jsonb       not null,
  -- Null where the answer holds a secret.
  body       text,
  created_at timestamptz not null default platform.now(),
  constraint kept_answers_pkey primary key (brand_id, digest),
  constraint kept_answers_brand_fkey foreign key (brand_id) references identity.brands (id)
);
create index kept_answers_created on platform.kept_answers (created_at);

alter table platform.kept_answers enable row level security;
alter table platform.kept_answers force row level security;
create policy tenant on platform.kept_answers
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on platform.kept_answers
  using ((select platform.is_system())) with check ((select platform.is_system()));
