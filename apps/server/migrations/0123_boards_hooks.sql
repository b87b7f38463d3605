-- Hooks of repositories: where a repository tells about its pull requests. What was told is kept as the state of each pull
-- request, with the time that the host itself gives it. Cards are derived from these rows, so that the order in which
-- deliveries come, and how often, changes nothing.
create table boards.hooks (
  brand_id         int         not null,
  id               uuid        not null default gen_random_uuid(),
  service          text        not null,
  url              text        not null,
  -- Of the repository at its host, known since the first delivery: a repository that was renamed stays the same.
  remote_id        bigint,
  -- Null for all boards.
  board_ids        uuid[],
  secret           bytea       not null,
  old_secret       bytea,
  old_secret_until timestamptz,
  created_at       timestamptz not null default platform.now(),
  updated_at       timestamptz not null default platform.now(),
  constraint hooks_pkey primary key (brand_id, id),
  constraint hooks_url_key unique (brand_id, url),
  constraint hooks_service_known check (service in ('github', 'gitlab'))
);
-- Whoever delivers names no workspace.
create index hooks_by_id on boards.hooks (id);

-- Ids of deliveries, for 30 days: one that comes again is not read again.
create table boards.hook_deliveries (
  brand_id    int         not null,
  hook_id     uuid        not null,
  id          text        not null,
  event       text        not null,
  result      text        not null,
  received_at timestamptz not null default platform.clock_now(),
  constraint hook_deliveries_pkey primary key (brand_id, hook_id, id),
  constraint hook_deliveries_hook_fkey foreign key (brand_id, hook_id) references boards.hooks (brand_id, id)
    on delete cascade
);
create index hook_deliveries_newest on boards.hook_deliveries (brand_id, hook_id, received_at desc);
create index hook_deliveries_received on boards.hook_deliveries (received_at);

create table boards.pull_requests (
  brand_id   int         not null,
  hook_id    uuid        not null,
  number     int         not null,
  url        text        not null,
  state      text        not null,
  branch     text        not null,
  -- From a repository of somebody else: its branch means nothing here.
  is_fork    boolean     not null,
  head_sha   text        not null,
  merged_sha text,
  merged_at  timestamptz,
  opened_at  timestamptz not null,
  -- Cards that its title and its branch name.
  refs       text[]      not null,
  -- The order of states: a later one replaces an earlier one, never the other way.
  changed_at timestamptz not null,
  state_rank int         not null,
  digest     text        not null collate "C",
  constraint pull_requests_pkey primary key (brand_id, hook_id, number),
  constraint pull_requests_hook_fkey foreign key (brand_id, hook_id) references boards.hooks (brand_id, id)
    on delete cascade,
  constraint pull_requests_state_known check (state in ('draft', 'open', 'merged', 'closed'))
);

-- Cards that a pull request is about.
create table boards.card_pulls (
  brand_id int     not null,
  card_id  uuid    not null,
  hook_id  uuid    not null,
  number   int     not null,
  -- The state for which the card was found: a later one may be about others.
  digest   text    not null default '' collate "C",
  -- Its merge was noticed: what follows from that happens once.
  is_moved boolean not null default false,
  constraint card_pulls_pkey primary key (brand_id, card_id, hook_id, number),
  constraint card_pulls_card_fkey foreign key (brand_id, card_id) references boards.cards (brand_id, id)
    on delete cascade,
  constraint card_pulls_pull_fkey foreign key (brand_id, hook_id, number)
    references boards.pull_requests (brand_id, hook_id, number) on delete cascade
);
create index card_pulls_by_pull on boards.card_pulls (brand_id, hook_id, number);

-- What was written on a card because of deliveries, to tell it from what people wrote.
create table boards.card_deliveries (
  brand_id int  not null,
  card_id  uuid not null,
  pr_url   text,
  sha      text,
  checks   text,
  constraint card_deliveries_pkey primary key (brand_id, card_id),
  constraint card_deliveries_card_fkey foreign key (brand_id, card_id) references boards.cards (brand_id, id)
    on delete cascade
);
create index card_deliveries_by_sha on boards.card_deliveries (brand_id, sha) where sha is not null;

do $$
declare name text;
begin
  foreach name in array array['hooks', 'hook_deliveries', 'pull_requests', 'card_pulls', 'card_deliveries'] loop
    execute format('alter table boards.%I enable row level security', name);
    execute format('alter table boards.%I force row level security', name);
    execute format('create policy tenant on boards.%I using (brand_id = (select platform.current_brand()))
      with check (brand_id = (select platform.current_brand()))', name);
    execute format('create policy system on boards.%I using ((select platform.is_system()))
      with check ((select platform.is_system()))', name);
  end loop;
end $$;
