-- Desks act by themselves. Every row fits the wider rule, so nothing is looked through.
alter table platform.audit_entries drop constraint audit_entries_actor_known;
alter table platform.audit_entries add constraint audit_entries_actor_known
  check (actor_kind in ('person', 'admin_key', 'system', 'nobody', 'desk')) not valid;

-- The key that a desk signs with. The row outlives the desk, so that a machine is told that it was released; its workspace
-- takes it along when it is erased.
create table fleet.desk_keys (
  brand_id       int         not null,
  desk_id        uuid        not null,
  -- Ed25519, 32 bytes in base64url.
  public_key     text        not null,
  -- SHA-256 of it in hex.
  fingerprint    text        not null,
  wg_key         text        not null,
  -- Tells whether two desks are on one machine, also of two workspaces. Keyed, so that nobody can look up a machine.
  machine_digest text        not null,
  os             text        not null,
  arch           text        not null,
  joined_at      timestamptz not null default platform.now(),
  -- Since then two machines have been using the key, and neither is heard.
  quarantined_at timestamptz,
  released_at    timestamptz,
  constraint desk_keys_pkey primary key (brand_id, desk_id),
  constraint desk_keys_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint desk_keys_public_key_form check (public_key ~ '^[A-Za-z0-9_-]{43}$'),
  constraint desk_keys_fingerprint_form check (fingerprint ~ '^[0-9a-f]{64}$'),
  constraint desk_keys_wg_key_form check (wg_key ~ '^[A-Za-z0-9_-]{43}$'),
  constraint desk_keys_machine_digest_length check (char_length(machine_digest) <= 100),
  constraint desk_keys_os_length check (char_length(os) <= 60),
  constraint desk_keys_arch_length check (char_length(arch) <= 60)
);
-- A desk that signs names itself and no workspace.
create unique index desk_keys_by_desk on fleet.desk_keys (desk_id);
create index desk_keys_by_release on fleet.desk_keys (released_at) where released_at is not null;

alter table fleet.desk_keys enable row level security;
alter table fleet.desk_keys force row level security;
create policy tenant on fleet.desk_keys using (brand_id = (select platform.current_brand()))
  with check (brand_id = (select platform.current_brand()));
create policy system on fleet.desk_keys using ((select platform.is_system()))
  with check ((select platform.is_system()));

-- When a second key was last refused; the alarm is raised once a minute at most.
alter table fleet.join_secrets add column refused_at timestamptz;
