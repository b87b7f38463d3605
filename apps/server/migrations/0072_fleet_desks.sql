create schema fleet;

-- A machine of one workspace. Ids are of version 7, so their order is that of creation.
create table fleet.desks (
  brand_id            int         not null,
  id                  uuid        not null,
  -- A short code for people; a workspace has each once.
  short_id            text        not null,
  name                text        not null,
  runtime             text        not null,
  region              text,
  description         text,
  workspace_path      text        not null,
  vps_provider        text,
  created_by          int,
  created_at          timestamptz not null default platform.now(),
  updated_at          timestamptz not null default platform.now(),

  state               text        not null default 'provisioning',
  resumed_at          timestamptz,
  -- Written in batches, so there is no index on it, and pages leave room to update in place.
  last_seen_at        timestamptz,

  -- What the installer and the registration report.
  beacon_stage        text,
  beacon_ok           boolean,
  beacon_exit_code    int,
  beacon_at           timestamptz,
  registered_at       timestamptz,
  handshake_at        timestamptz,

  -- Where the sidecar is asked, and what was found out. Whoever asks remembers the generation and writes under it only,
  -- so that an answer which comes after the desk was suspended, resumed or repointed changes nothing.
  sidecar_url         text,
  generation          bigint      not null default 1,
  misses              int         not null default 0,
  checked_at          timestamptz,
  answered_at         timestamptz,
  misrouted_at        timestamptz,

  -- As last told by the desk.
  sidecar_version     text,
  sidecar_code_digest text,
  last_upgrade_at     timestamptz,
  pending_sync_count  int         not null default 0,
  login_expired_at    timestamptz,

  constraint desks_pkey primary key (brand_id, id),
  constraint desks_short_id_key unique (brand_id, short_id),
  constraint desks_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint desks_short_id_form check (short_id ~ '^[0-9a-z]{4,12}$'),
  constraint desks_name_length check (char_length(name) between 1 and 255),
  constraint desks_description_length check (char_length(description) <= 500),
  constraint desks_region_length check (char_length(region) between 1 and 100),
  constraint desks_vps_provider_length check (char_length(vps_provider) between 1 and 100),
  constraint desks_workspace_path_length check (char_length(workspace_path) between 1 and 200),
  constraint desks_sidecar_url_length check (char_length(sidecar_url) <= 500),
  constraint desks_sidecar_version_length check (char_length(sidecar_version) <= 100),
  constraint desks_sidecar_code_digest_length check (char_length(sidecar_code_digest) <= 100),
  constraint desks_runtime_known check (runtime in ('claude_code', 'codex', 'custom')),
  constraint desks_state_known check (state in ('provisioning', 'ready', 'unreachable', 'suspended')),
  constraint desks_beacon_stage_length check (char_length(beacon_stage) <= 40),
  constraint desks_counts_positive check (misses >= 0 and pending_sync_count >= 0)
) with (fillfactor = 70);

alter table fleet.desks enable row level security;
alter table fleet.desks force row level security;
create policy tenant on fleet.desks using (brand_id = (select platform.current_brand()))
  with check (brand_id = (select platform.current_brand()));
create policy system on fleet.desks using ((select platform.is_system()))
  with check ((select platform.is_system()));

-- Lets one machine join as one desk. A desk has at most one: a new one replaces it in the same statement.
create table fleet.join_secrets (
  brand_id        int         not null,
  desk_id         uuid        not null,
  -- SHA-256 in hex; the secret itself is kept nowhere.
  secret_digest   text        not null,
  issued_by       int,
  issued_at       timestamptz not null default platform.now(),
  expires_at      timestamptz not null,
  -- The first key that has used it. No other one can.
  key_fingerprint text,
  bound_at        timestamptz,
  constraint join_secrets_pkey primary key (brand_id, desk_id),
  constraint join_secrets_desk_fkey foreign key (brand_id, desk_id) references fleet.desks (brand_id, id)
    on delete cascade,
  constraint join_secrets_digest_form check (secret_digest ~ '^[0-9a-f]{64}$'),
  constraint join_secrets_fingerprint_form check (key_fingerprint ~ '^[0-9a-f]{64}$'),
  constraint join_secrets_bound_fits check ((key_fingerprint is null) = (bound_at is null)),
  constraint join_secrets_expires_later check (expires_at > issued_at)
);
-- Whoever comes with a secret is looked up before their workspace is known.
create unique index join_secrets_by_digest on fleet.join_secrets (secret_digest);

alter table fleet.join_secrets enable row level security;
alter table fleet.join_secrets force row level security;
create policy tenant on fleet.join_secrets using (brand_id = (select platform.current_brand()))
  with check (brand_id = (select platform.current_brand()));
create policy system on fleet.join_secrets using ((select platform.is_system()))
  with check ((select platform.is_system()));

create table fleet.desk_photos (
  brand_id   int         not null,
  desk_id    uuid        not null,
  object_key text        not null,
  digest     text        not null,
  updated_at timestamptz not null default platform.now(),
  constraint desk_photos_pkey primary key (brand_id, desk_id),
  -- Serves the sweep too, which asks for many keys of one brand at a time.
  constraint desk_photos_object_key_key unique (brand_id, object_key),
  constraint desk_photos_desk_fkey foreign key (brand_id, desk_id) references fleet.desks (brand_id, id),
  constraint desk_photos_digest_form check (digest ~ '^[0-9a-f]{64}$')
);

alter table fleet.desk_photos enable row level security;
alter table fleet.desk_photos force row level security;
create policy tenant on fleet.desk_photos using (brand_id = (select platform.current_brand()))
  with check (brand_id = (select platform.current_brand()));
create policy system on fleet.desk_photos using ((select platform.is_system()))
  with check ((select platform.is_system()));

-- Where the sweep of the stored objects goes on; one row, for all workspaces.
create table fleet.photo_sweeps (
  only_row  boolean not null default true,
  after_key text    not null default '',
  constraint photo_sweeps_pkey primary key (only_row),
  constraint photo_sweeps_one_row check (only_row)
);
insert into fleet.photo_sweeps default values;
