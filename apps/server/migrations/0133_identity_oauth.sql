-- Programs that have registered themselves. Anybody may, so nothing in here is proven.
create table identity.oauth_clients (
  id            uuid        not null,
  name          text        not null,
  redirect_uris text[]      not null,
  created_at    timestamptz not null default platform.now(),
  constraint oauth_clients_pkey primary key (id),
  constraint oauth_clients_name_length check (char_length(name) between 1 and 100),
  constraint oauth_clients_redirects_few check (cardinality(redirect_uris) between 1 and 5)
);
create index oauth_clients_created_at on identity.oauth_clients (created_at);

-- A connection stands for what a person has let a program do. Nobody has its secret: it issues the access tokens, which end
-- with it. So whatever revokes tokens ends what the program has.
alter table identity.tokens
  add column kind text not null default 'personal',
  add constraint tokens_kind_known check (kind in ('personal', 'connection', 'access'));

create table identity.oauth_connections (
  brand_id     int  not null,
  token_id     uuid not null,
  client_id    uuid not null,
  redirect_uri text not null,
  challenge    text not null,
  resource     text not null,
  constraint oauth_connections_pkey primary key (brand_id, token_id),
  constraint oauth_connections_token_fkey foreign key (brand_id, token_id)
    references identity.tokens (brand_id, id) on delete cascade,
  constraint oauth_connections_client_fkey foreign key (client_id) references identity.oauth_clients (id)
);
create index oauth_connections_client_id on identity.oauth_connections (client_id);

-- Codes and refresh tokens. Only digests are kept, and used ones as well: a second use has to be recognized.
create table identity.oauth_secrets (
  brand_id   int         not null,
  digest     bytea       not null,
  token_id   uuid        not null,
  kind       text        not null,
  created_at timestamptz not null default platform.now(),
  used_at    timestamptz,
  constraint oauth_secrets_pkey primary key (brand_id, digest),
  constraint oauth_secrets_digest_key unique (digest),
  constraint oauth_secrets_connection_fkey foreign key (brand_id, token_id)
    references identity.oauth_connections (brand_id, token_id) on delete cascade,
  constraint oauth_secrets_kind_known check (kind in ('code', 'refresh'))
);
create index oauth_secrets_token_id on identity.oauth_secrets (brand_id, token_id);
create index oauth_secrets_used_at on identity.oauth_secrets (used_at) where used_at is not null;

alter table identity.oauth_connections enable row level security;
alter table identity.oauth_connections force row level security;
create policy tenant on identity.oauth_connections
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on identity.oauth_connections
  using ((select platform.is_system())) with check ((select platform.is_system()));

alter table identity.oauth_secrets enable row level security;
alter table identity.oauth_secrets force row level security;
create policy tenant on identity.oauth_secrets
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on identity.oauth_secrets
  using ((select platform.is_system())) with check ((select platform.is_system()));
