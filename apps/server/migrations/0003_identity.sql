create schema identity;

-- Plans are data: what a workspace may use and how much of it.
create table identity.plans (
  key           text   not null,
  name          text   not null,
  features      text[] not null,
  desk_cap      int    not null,
  source_cap    int    not null,
  constraint plans_pkey primary key (key),
  constraint plans_key_form check (key ~ '^[a-z][a-z0-9_]{1,30}$'),
  constraint plans_caps_positive check (desk_cap >= 0 and source_cap >= 0)
);
insert into identity.plans (key, name, features, desk_cap, source_cap) values
  ('free', 'Free', '{skills,feed}', 2, 3),
  ('team', 'Team', '{skills,feed,machines}', 10, 25),
  ('business', 'Business', '{skills,feed,machines,crm}', 100, 250);

-- People stand outside all workspaces: one person may belong to several.
create table identity.people (
  id             int         generated always as identity,
  email          text        not null,
  full_name      text        not null,
  image          text,
  email_verified boolean     not null default false,
  kind           text        not null default 'person',
  is_staff       boolean     not null default false,
  created_at     timestamptz not null default platform.now(),
  updated_at     timestamptz not null default platform.now(),
  constraint people_pkey primary key (id),
  constraint people_email_key unique (email),
  constraint people_email_lower check (email = lower(email)),
  constraint people_kind_known check (kind in ('person', 'service'))
);

create table identity.passwords (
  person_id     int         not null,
  password_hash text        not null,
  changed_at    timestamptz not null default platform.now(),
  constraint passwords_pkey primary key (person_id),
  constraint passwords_person_fkey foreign key (person_id) references identity.people (id) on delete cascade
);

-- Links by mail. Only the digest is kept: whoever reads this table cannot use one.
create table identity.password_resets (
  token_hash text        not null,
  person_id  int         not null,
  expires_at timestamptz not null,
  constraint password_resets_pkey primary key (token_hash),
  constraint password_resets_person_fkey foreign key (person_id) references identity.people (id) on delete cascade
);
create index password_resets_person_id on identity.password_resets (person_id);
create index password_resets_expires_at on identity.password_resets (expires_at);

-- A workspace is called a brand. `auth_epoch` rises with every change of who may do what in it; a process
-- that remembers a caller asks for the epoch in each transaction, so nothing it remembers can be stale.
create table identity.brands (
  id                   int         generated always as identity,
  name                 text        not null,
  plan_key             text        not null,
  subscription_status  text        not null default 'none',
  subscription_ends_at timestamptz,
  scope_ceiling        text[]      not null,
  auth_epoch           bigint      not null default 1,
  created_at           timestamptz not null default platform.now(),
  constraint brands_pkey primary key (id),
  constraint brands_plan_fkey foreign key (plan_key) references identity.plans (key),
  constraint brands_subscription_known check (subscription_status in ('none', 'active', 'past_due', 'canceled'))
);
create index brands_plan_key on identity.brands (plan_key);

create table identity.memberships (
  brand_id   int         not null,
  person_id  int         not null,
  role       text        not null,
  status     text        not null default 'active',
  joined_at  timestamptz not null default platform.now(),
  removed_at timestamptz,
  constraint memberships_pkey primary key (brand_id, person_id),
  constraint memberships_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint memberships_person_fkey foreign key (person_id) references identity.people (id),
  constraint memberships_role_known check (role in ('admin', 'member')),
  constraint memberships_status_known check (status in ('active', 'removed'))
);
create index memberships_person_id on identity.memberships (person_id);

create table identity.sessions (
  id         int         generated always as identity,
  token_hash text        not null,
  person_id  int         not null,
  brand_id   int,
  expires_at timestamptz not null,
  created_at timestamptz not null default platform.now(),
  updated_at timestamptz not null default platform.now(),
  constraint sessions_pkey primary key (id),
  constraint sessions_token_hash_key unique (token_hash),
  constraint sessions_person_fkey foreign key (person_id) references identity.people (id) on delete cascade,
  constraint sessions_brand_fkey foreign key (brand_id) references identity.brands (id)
);
create index sessions_person_id on identity.sessions (person_id);
create index sessions_brand_id on identity.sessions (brand_id);
create index sessions_expires_at on identity.sessions (expires_at);

create table identity.tokens (
  brand_id     int         not null,
  id           uuid        not null,
  person_id    int         not null,
  name         text        not null,
  last_four    text        not null,
  token_hash   bytea       not null,
  scopes       text[]      not null,
  expires_at   timestamptz not null,
  last_used_on date,
  created_at   timestamptz not null default platform.now(),
  revoked_at   timestamptz,
  constraint tokens_pkey primary key (brand_id, id),
  -- A digest of 178 random bits: a clash cannot tell anything about another workspace.
  constraint tokens_token_hash_key unique (token_hash),
  constraint tokens_membership_fkey foreign key (brand_id, person_id)
    references identity.memberships (brand_id, person_id)
);
create index tokens_person on identity.tokens (brand_id, person_id);

-- Sign-in failures by address and by e-mail; one row per window, counted by one statement.
create table identity.attempt_limits (
  key        text        not null,
  window_end timestamptz not null,
  failures   int         not null,
  constraint attempt_limits_pkey primary key (key)
);
create index attempt_limits_window_end on identity.attempt_limits (window_end);


-- The walls. A tenant statement sees the rows of the brand that its transaction has entered, and nothing
-- when it has entered none. Platform work (sign-in, jobs over all brands) says so in its transaction.
create function platform.is_system() returns boolean
  language sql stable parallel safe
  return current_setting('app.system', true) = 'on';

create function platform.current_brand() returns int
  language sql stable parallel safe
  return nullif(current_setting('app.brand_id', true), '')::int;

alter table identity.brands enable row level security;
alter table identity.brands force row level security;
create policy tenant on identity.brands
  using (id = (select platform.current_brand())) with check (id = (select platform.current_brand()));
create policy system on identity.brands
  using ((select platform.is_system())) with check ((select platform.is_system()));

alter table identity.memberships enable row level security;
alter table identity.memberships force row level security;
create policy tenant on identity.memberships
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on identity.memberships
  using ((select platform.is_system())) with check ((select platform.is_system()));

alter table identity.tokens enable row level security;
alter table identity.tokens force row level security;
create policy tenant on identity.tokens
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on identity.tokens
  using ((select platform.is_system())) with check ((select platform.is_system()));

-- Enters a brand for the rest of the transaction. A caller that was remembered from an earlier request
-- brings the epoch it was read at and the end of its credential; when either has passed, the whole
-- transaction fails, and the caller is looked up anew.
create function platform.enter_brand(brand int, epoch bigint, until timestamptz) returns void
  language plpgsql as $$
begin
  perform set_config('app.brand_id', brand::text, true);
  if epoch is not null and (until <= platform.now()
      or not exists (select 1 from identity.brands b where b.id = brand and b.auth_epoch = epoch)) then
    raise exception 'the caller has to be looked up anew' using errcode = 'CH401';
  end if;
end $$;

-- Every change of who may do what raises the epoch of the brand, whichever statement makes it.
create function identity.raise_epoch() returns trigger
  language plpgsql as $$
begin
  update identity.brands set auth_epoch = auth_epoch + 1 where id = old.brand_id;
  -- A writer that cannot see the brand would otherwise leave remembered callers in.
  if not found then raise exception 'the epoch of brand % could not be raised', old.brand_id; end if;
  return null;
end $$;

create trigger raise_epoch after update of role, status or delete on identity.memberships
  for each row execute function identity.raise_epoch();
create trigger raise_epoch after update of revoked_at, scopes, expires_at, token_hash or delete on identity.tokens
  for each row execute function identity.raise_epoch();
create trigger raise_epoch after update of brand_id, expires_at, token_hash or delete on identity.sessions
  for each row when (old.brand_id is not null) execute function identity.raise_epoch();

create function identity.raise_own_epoch() returns trigger
  language plpgsql as $$
begin
  new.auth_epoch := old.auth_epoch + 1;
  return new;
end $$;
create trigger raise_own_epoch before update of scope_ceiling, subscription_status, plan_key on identity.brands
  for each row execute function identity.raise_own_epoch();
