-- What an admin has decided, and nothing else: a switch that nobody has set has no row.
create table workspaces.feature_switches (
  brand_id   int         not null,
  key        text        not null,
  is_on      boolean     not null,
  changed_by int         not null,
  changed_at timestamptz not null default platform.clock_now(),
  constraint feature_switches_pkey primary key (brand_id, key),
  constraint feature_switches_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint feature_switches_key_known check (key in ('skills', 'feed', 'machines', 'crm'))
);

alter table workspaces.feature_switches enable row level security;
alter table workspaces.feature_switches force row level security;
create policy tenant on workspaces.feature_switches
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on workspaces.feature_switches
  using ((select platform.is_system())) with check ((select platform.is_system()));

-- A workspace without a row has the current navigation, so a new one needs none.
create table workspaces.preferences (
  brand_id       int     not null,
  new_navigation boolean not null default true,
  constraint preferences_pkey primary key (brand_id),
  constraint preferences_brand_fkey foreign key (brand_id) references identity.brands (id)
);

alter table workspaces.preferences enable row level security;
alter table workspaces.preferences force row level security;
create policy tenant on workspaces.preferences
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on workspaces.preferences
  using ((select platform.is_system())) with check ((select platform.is_system()));

-- For readers that ask what one person did of one kind; the other filters have an index since 0004.
create index audit_entries_actor_action on platform.audit_entries (brand_id, actor_person_id, action, id);
