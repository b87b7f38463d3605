create schema marketplace;

-- What workspaces can install. Built-in packages are published with the server, the others by a platform admin.
create table marketplace.packages (
  key         text        not null collate "C",
  kind        text        not null,
  title       text        not null,
  description text        not null,
  publisher   text        not null,
  created_at  timestamptz not null default platform.now(),
  updated_at  timestamptz not null default platform.now(),
  constraint packages_pkey primary key (key),
  constraint packages_key_form check (key ~ '^[a-z][a-z0-9-]{1,23}$'),
  constraint packages_kind_known check (kind in ('builtin', 'http'))
);

create table marketplace.package_versions (
  package_key  text        not null collate "C",
  version      text        not null collate "C",
  -- What it may touch, in sentences for whoever decides about an install.
  touches      text[]      not null,
  -- `{ name, since, summary }` of each.
  methods      jsonb       not null,
  -- Of the server of an http package.
  url          text,
  credential   text        not null default 'none',
  published_at timestamptz not null default platform.now(),
  withdrawn_at timestamptz,
  constraint package_versions_pkey primary key (package_key, version),
  constraint package_versions_package_fkey foreign key (package_key) references marketplace.packages (key),
  constraint package_versions_version_form check (version ~ '^(0|[1-9]\d{0,5})(\.(0|[1-9]\d{0,5})){2}$'),
  constraint package_versions_credential_known check (credential in ('none', 'optional', 'required')),
  constraint package_versions_methods_small check (octet_length(methods::text) <= 262144)
);

-- The packages of a workspace. What it may be called with is pinned: a server that offers something else is not called
-- until an admin has approved it.
create table marketplace.installs (
  brand_id        int         not null,
  id              uuid        not null default gen_random_uuid(),
  package_key     text        not null collate "C",
  version         text        not null collate "C",
  kind            text        not null,
  is_enabled      boolean     not null default true,
  -- `hire`: installed for hires alone, and turned off with the last of them.
  origin          text        not null,
  is_for_everyone boolean     not null default false,
  credential      bytea,
  tools           jsonb       not null default '[]',
  digest          text        not null collate "C",
  -- What its server offers instead, and waits for approval.
  found_tools     jsonb,
  found_digest    text        collate "C",
  -- Of http packages: when its server is asked again what it offers.
  next_check_at   timestamptz,
  checked_at      timestamptz,
  failures        int         not null default 0,
  created_at      timestamptz not null default platform.now(),
  updated_at      timestamptz not null default platform.now(),
  constraint installs_pkey primary key (brand_id, id),
  constraint installs_package_key unique (brand_id, package_key),
  constraint installs_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint installs_version_fkey foreign key (package_key, version)
    references marketplace.package_versions (package_key, version),
  constraint installs_kind_known check (kind in ('builtin', 'http')),
  constraint installs_origin_known check (origin in ('workspace', 'hire')),
  constraint installs_found_whole check ((found_tools is null) = (found_digest is null)),
  constraint installs_checked_kind check (kind = 'http' or next_check_at is null),
  constraint installs_failures_not_negative check (failures >= 0)
);
create index installs_version on marketplace.installs (package_key, version);
create index installs_due on marketplace.installs (next_check_at) where next_check_at is not null;

-- Which agents may use an install that is not for everyone.
create table marketplace.grants (
  brand_id   int  not null,
  install_id uuid not null,
  agent_id   text not null,
  constraint grants_pkey primary key (brand_id, install_id, agent_id),
  constraint grants_install_fkey foreign key (brand_id, install_id) references marketplace.installs (brand_id, id)
    on delete cascade
);
create index grants_agent on marketplace.grants (brand_id, agent_id);

-- Hires that need a package. They are counted, and the number is stored nowhere. The agent of a hire may use what its
-- hire refers to.
create table marketplace.install_refs (
  brand_id    int         not null,
  package_key text        not null collate "C",
  hire_id     uuid        not null,
  agent_id    text        not null,
  created_at  timestamptz not null default platform.now(),
  constraint install_refs_pkey primary key (brand_id, package_key, hire_id),
  constraint install_refs_install_fkey foreign key (brand_id, package_key)
    references marketplace.installs (brand_id, package_key)
);
create index install_refs_hire on marketplace.install_refs (brand_id, hire_id);
create index install_refs_agent on marketplace.install_refs (brand_id, agent_id);

do $$
declare name text;
begin
  foreach name in array array['installs', 'grants', 'install_refs'] loop
    execute format('alter table marketplace.%I enable row level security', name);
    execute format('alter table marketplace.%I force row level security', name);
    execute format('create policy tenant on marketplace.%I using (brand_id = (select platform.current_brand()))
      with check (brand_id = (select platform.current_brand()))', name);
    execute format('create policy system on marketplace.%I using ((select platform.is_system()))
      with check ((select platform.is_system()))', name);
  end loop;
end $$;
