-- Agents of the platform. A workspace can neither use nor take their ids.
create table identity.platform_agents (
  agent_id   text        not null,
  name       text        not null,
  created_at timestamptz not null default platform.now(),
  constraint platform_agents_pkey primary key (agent_id),
  constraint platform_agents_id_form check (agent_id ~ '^[A-Za-z0-9_-]{1,255}$')
);

-- The agents of a workspace. An id is never given a second time, so what an agent leaves behind stays its own.
create table identity.agents (
  brand_id   int         not null,
  agent_id   text        not null,
  name       text        not null,
  origin     text        not null default 'created',
  status     text        not null default 'active',
  -- A number without a foreign key: people leave, and agents stay.
  created_by int,
  created_at timestamptz not null default platform.now(),
  updated_at timestamptz not null default platform.now(),
  retired_at timestamptz,
  constraint agents_pkey primary key (brand_id, agent_id),
  constraint agents_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint agents_id_form check (agent_id ~ '^[A-Za-z0-9_-]{1,255}$'),
  constraint agents_name_length check (char_length(name) between 1 and 100),
  constraint agents_origin_known check (origin in ('created', 'hired')),
  constraint agents_status_known check (status in ('active', 'retired')),
  constraint agents_retired_at_fits check ((status = 'retired') = (retired_at is not null))
);
create index agents_status on identity.agents (brand_id, status, agent_id);

alter table identity.agents enable row level security;
alter table identity.agents force row level security;
create policy tenant on identity.agents
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on identity.agents
  using ((select platform.is_system())) with check ((select platform.is_system()));

-- Leaves such a row out, as one whose id the workspace has already is left out: both look the same.
create function identity.withhold_platform_agents() returns trigger
  language plpgsql as $$
begin
  if exists (select from identity.platform_agents p where p.agent_id = new.agent_id) then
    return null;
  end if;
  return new;
end $$;
create trigger withhold_platform_agents before insert or update of agent_id on identity.agents
  for each row execute function identity.withhold_platform_agents();

-- Callers are remembered with the name of their agent, and not longer than it works.
create trigger raise_epoch after update of name, status or delete on identity.agents
  for each row execute function identity.raise_epoch();

-- The agent that a token belongs to, beside the free text, which older versions go on reading.
alter table identity.tokens
  add column agent_id text,
  add constraint tokens_agent_fkey foreign key (brand_id, agent_id)
    references identity.agents (brand_id, agent_id);
create index tokens_agent_id on identity.tokens (brand_id, agent_id);
