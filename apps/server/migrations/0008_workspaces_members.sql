-- Somebody whose password an admin sets may have sessions that act for other workspaces, and ending those has
-- to raise the epoch there as well. The trigger sees all brands for that one statement, and then as before.
create or replace function identity.raise_epoch() returns trigger
  language plpgsql as $$
declare
  before text := current_setting('app.system', true);
begin
  perform set_config('app.system', 'on', true);
  update identity.brands set auth_epoch = auth_epoch + 1 where id = old.brand_id;
  if not found then raise exception 'the epoch of brand % could not be raised', old.brand_id; end if;
  perform set_config('app.system', coalesce(before, ''), true);
  return null;
end $$;

-- Tells one number about a person, which a workspace needs before it may set their password.
create function identity.count_workspaces(person int) returns int
  language plpgsql as $$
declare
  before text := current_setting('app.system', true);
  found_active int;
begin
  perform set_config('app.system', 'on', true);
  select count(*)::int into found_active
    from identity.memberships m where m.person_id = person and m.status = 'active';
  perform set_config('app.system', coalesce(before, ''), true);
  return found_active;
end $$;

-- Whoever joins a workspace, by whichever statement, waits for whoever is setting that person's password.
create function identity.lock_person() returns trigger
  language plpgsql as $$
begin
  perform 1 from identity.people p where p.id = new.person_id for no key update;
  return new;
end $$;
create trigger lock_person_joining before insert on identity.memberships
  for each row execute function identity.lock_person();
create trigger lock_person_returning before update of status on identity.memberships
  for each row when (new.status = 'active' and old.status <> 'active') execute function identity.lock_person();

-- What a workspace notes about a member. It goes when the member goes.
create table workspaces.member_profiles (
  brand_id   int         not null,
  person_id  int         not null,
  position   text,
  updated_at timestamptz not null default platform.now(),
  constraint member_profiles_pkey primary key (brand_id, person_id),
  constraint member_profiles_membership_fkey foreign key (brand_id, person_id)
    references identity.memberships (brand_id, person_id),
  constraint member_profiles_position_length check (char_length(position) between 1 and 255)
);

-- An address that may become a member. Only the digest of its link is kept; the mail job makes the link.
create table workspaces.invitations (
  brand_id   int         not null,
  id         int         generated always as identity,
  email      text        not null,
  role       text        not null,
  status     text        not null default 'pending',
  delivery   text        not null default 'queued',
  token_hash text,
  invited_by int,
  expires_at timestamptz not null,
  created_at timestamptz not null default platform.now(),
  closed_at  timestamptz,
  constraint invitations_pkey primary key (brand_id, id),
  constraint invitations_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint invitations_email_lower check (email = lower(email)),
  constraint invitations_role_known check (role in ('admin', 'member')),
  constraint invitations_status_known check (status in ('pending', 'accepted', 'revoked', 'expired')),
  constraint invitations_delivery_known check (delivery in ('queued', 'sent', 'refused')),
  constraint invitations_closed check ((status = 'pending') = (closed_at is null))
);
create unique index invitations_pending_email on workspaces.invitations (brand_id, email) where status = 'pending';
create index invitations_pending on workspaces.invitations (brand_id, id) where status = 'pending';
-- Whoever brings a link names no workspace. A digest of 256 random bits clashes with nothing.
create unique index invitations_token_hash on workspaces.invitations (token_hash) where token_hash is not null;

alter table workspaces.member_profiles enable row level security;
alter table workspaces.member_profiles force row level security;
create policy tenant on workspaces.member_profiles
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on workspaces.member_profiles
  using ((select platform.is_system())) with check ((select platform.is_system()));

alter table workspaces.invitations enable row level security;
alter table workspaces.invitations force row level security;
create policy tenant on workspaces.invitations
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on workspaces.invitations
  using ((select platform.is_system())) with check ((select platform.is_system()));
