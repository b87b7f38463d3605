-- What was done and used: a row for each board, week, agent and person. A card that is done counts in the week in which it
-- was completed, archived or not, for the worker of its last run; usage counts in the week in which its run began. Names of
-- people are not in here.
create table boards.sums (
  brand_id     int    not null,
  id           uuid   not null default gen_random_uuid(),
  board_id     uuid   not null,
  -- Its Monday, UTC.
  week         date   not null,
  -- Empty for work without an agent.
  agent        text   not null,
  agent_name   text   not null,
  -- 0 for work without a person.
  person_id    int    not null,
  cards_done   int    not null,
  -- From creation to completion, in whole seconds for each card.
  lead_seconds bigint not null,
  -- Cards whose lead time was no longer.
  within_1h    int    not null,
  within_8h    int    not null,
  within_1d    int    not null,
  within_3d    int    not null,
  within_7d    int    not null,
  within_14d   int    not null,
  within_30d   int    not null,
  tokens       bigint not null,
  cost_micros  bigint not null,
  constraint sums_pkey primary key (brand_id, id),
  constraint sums_of_key unique (brand_id, board_id, week, agent, agent_name, person_id),
  constraint sums_board_fkey foreign key (brand_id, board_id) references boards.boards (brand_id, id)
    on delete cascade
);
create index sums_weeks on boards.sums (brand_id, week, board_id);
alter table boards.sums enable row level security;
alter table boards.sums force row level security;
create policy tenant on boards.sums
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on boards.sums
  using ((select platform.is_system())) with check ((select platform.is_system()));

-- The row that a work of these workers belongs to: `agents` and `people` are those who may get it, the first one first.
create function boards.sum_key(brand_id int, board_id uuid, at timestamptz, agents jsonb[], people jsonb[])
  returns boards.sums language plpgsql immutable parallel safe as $$
declare
  sum boards.sums;
  actor jsonb;
begin
  sum.brand_id := brand_id;
  sum.board_id := board_id;
  sum.week := date_trunc('week', at at time zone 'UTC')::date;
  foreach actor in array agents loop
    if actor ->> 'kind' = 'agent' then
      sum.agent := coalesce(actor ->> 'agent_id', actor ->> 'id');
      sum.agent_name := actor ->> 'name';
      exit;
    end if;
  end loop;
  foreach actor in array people loop
    sum.person_id := case when actor ->> 'kind' = 'member' then actor ->> 'id' else actor -> 'on_behalf_of' ->> 'id' end;
    exit when sum.person_id is not null;
  end loop;
  sum.agent := coalesce(sum.agent, '');
  sum.agent_name := coalesce(sum.agent_name, '');
  sum.person_id := coalesce(sum.person_id, 0);
  sum.cards_done := 0;
  sum.lead_seconds := 0;
  sum.tokens := 0;
  sum.cost_micros := 0;
  return sum;
end $$;

-- Of a card that is done. An agent gets it if it ran last or was named for it; a person if they were responsible, or had the
-- agent run.
create function boards.sum_of_card(c boards.cards) returns boards.sums language plpgsql stable as $$
declare
  at timestamptz := coalesce(c.completed_at, c.moved_at);
  worker jsonb;
  sum boards.sums;
begin
  if c.last_run_id is not null then
    select r.started_by into worker from boards.runs r where r.brand_id = c.brand_id and r.id = c.last_run_id;
  end if;
  sum := boards.sum_key(c.brand_id, c.board_id, at, array[worker, c.delegate, c.assignee], array[c.assignee, worker]);
  sum.cards_done := 1;
  sum.lead_seconds := greatest(0, floor(extract(epoch from at - c.created_at)));
  return sum;
end $$;
create function boards.sum_of_run(r boards.runs, board_id uuid) returns boards.sums language plpgsql stable as $$
declare
  sum boards.sums := boards.sum_key(r.brand_id, board_id, r.started_at, array[r.started_by], array[r.started_by]);
begin
  sum.tokens := r.usage_tokens;
  sum.cost_micros := r.usage_cost_micros;
  return sum;
end $$;

-- Only under the lock of the board, so that writers of one board come one after the other here, and those of two boards
-- never wait for each other.
create function boards.add_to_sums(added boards.sums[], times int) returns void language plpgsql as $$
begin
  insert into boards.sums as s (brand_id, board_id, week, agent, agent_name, person_id, cards_done, lead_seconds,
    within_1h, within_8h, within_1d, within_3d, within_7d, within_14d, within_30d, tokens, cost_micros)
  select a.brand_id, a.board_id, a.week, a.agent, a.agent_name, a.person_id, times * sum(a.cards_done),
    times * sum(a.lead_seconds),
    times * coalesce(sum(a.cards_done) filter (where a.lead_seconds <= 3600), 0),
    times * coalesce(sum(a.cards_done) filter (where a.lead_seconds <= 8 * 3600), 0),
    times * coalesce(sum(a.cards_done) filter (where a.lead_seconds <= 86400), 0),
    times * coalesce(sum(a.cards_done) filter (where a.lead_seconds <= 3 * 86400), 0),
    times * coalesce(sum(a.cards_done) filter (where a.lead_seconds <= 7 * 86400), 0),
    times * coalesce(sum(a.cards_done) filter (where a.lead_seconds <= 14 * 86400), 0),
    times * coalesce(sum(a.cards_done) filter (where a.lead_seconds <= 30 * 86400), 0),
    times * sum(a.tokens), times * sum(a.cost_micros)
  from unnest(added) a group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
  on conflict (brand_id, board_id, week, agent, agent_name, person_id) do update set
    cards_done = s.cards_done + excluded.cards_done, lead_seconds = s.lead_seconds + excluded.lead_seconds,
    within_1h = s.within_1h + excluded.within_1h, within_8h = s.within_8h + excluded.within_8h,
    within_1d = s.within_1d + excluded.within_1d, within_3d = s.within_3d + excluded.within_3d,
    within_7d = s.within_7d + excluded.within_7d, within_14d = s.within_14d + excluded.within_14d,
    within_30d = s.within_30d + excluded.within_30d,
    tokens = s.tokens + excluded.tokens, cost_micros = s.cost_micros + excluded.cost_micros;
  if times < 0 then
    delete from boards.sums s using unnest(added) a
    where s.brand_id = a.brand_id and s.board_id = a.board_id and s.week = a.week and s.agent = a.agent
      and s.agent_name = a.agent_name and s.person_id = a.person_id
      and s.cards_done = 0 and s.tokens = 0 and s.cost_micros = 0;
  end if;
end $$;

-- By triggers, so that the version which still runs during a release counts as well.
create function boards.sum_new_cards() returns trigger language plpgsql as $$
declare
  sums boards.sums[] := (select array_agg(boards.sum_of_card(a)) from added a where a.status = 'done');
begin
  if sums is not null then
    perform boards.add_to_sums(sums, 1);
  end if;
  return null;
end $$;
create function boards.sum_changed_card() returns trigger language plpgsql as $$
begin
  if new.status = 'done' then
    perform boards.add_to_sums(array[boards.sum_of_card(new)], 1);
  end if;
  if old.status = 'done' then
    perform boards.add_to_sums(array[boards.sum_of_card(old)], -1);
  end if;
  return null;
end $$;
-- Before its runs go with it.
create function boards.sum_dropped_card() returns trigger language plpgsql as $$
declare
  sums boards.sums[] := (select array_agg(boards.sum_of_run(r, old.board_id)) from boards.runs r
    where r.brand_id = old.brand_id and r.card_id = old.id and (r.usage_tokens > 0 or r.usage_cost_micros > 0));
begin
  if old.status = 'done' then
    sums := sums || boards.sum_of_card(old);
  end if;
  if sums is not null then
    perform boards.add_to_sums(sums, -1);
  end if;
  return old;
end $$;
create function boards.sum_run() returns trigger language plpgsql as $$
declare
  of uuid := (select c.board_id from boards.cards c where c.brand_id = new.brand_id and c.id = new.card_id);
begin
  perform boards.add_to_sums(array[boards.sum_of_run(new, of)], 1);
  if tg_op = 'UPDATE' then
    perform boards.add_to_sums(array[boards.sum_of_run(old, of)], -1);
  end if;
  return null;
end $$;
create trigger sums_added after insert on boards.cards referencing new table as added
  for each statement execute function boards.sum_new_cards();
create trigger sums_changed after update on boards.cards for each row
  when ((old.status = 'done' or new.status = 'done')
    and (old.status, old.created_at, old.completed_at, old.assignee, old.delegate, old.last_run_id)
      is distinct from (new.status, new.created_at, new.completed_at, new.assignee, new.delegate, new.last_run_id))
  execute function boards.sum_changed_card();
create trigger sums_dropped before delete on boards.cards for each row
  when (old.status = 'done' or old.runs_count > 0) execute function boards.sum_dropped_card();
create trigger sums_of_new_run after insert on boards.runs for each row
  when (new.usage_tokens > 0 or new.usage_cost_micros > 0) execute function boards.sum_run();
create trigger sums_of_run after update on boards.runs for each row
  when ((old.usage_tokens, old.usage_cost_micros, old.started_by)
    is distinct from (new.usage_tokens, new.usage_cost_micros, new.started_by))
  execute function boards.sum_run();

-- For what is there already, a board at a time, under the lock that its writers take.
create procedure boards.fill_sums() language plpgsql as $$
declare
  before text := current_setting('app.system', true);
  seen boards.boards%rowtype;
begin
  perform set_config('app.system', 'on', false);
  seen.brand_id := 0;
  seen.id := '00000000-0000-0000-0000-000000000000';
  loop
    select b.brand_id, b.id into seen.brand_id, seen.id from boards.boards b
    where (b.brand_id, b.id) > (seen.brand_id, seen.id) order by b.brand_id, b.id limit 1 for no key update;
    exit when not found;
    delete from boards.sums s where s.brand_id = seen.brand_id and s.board_id = seen.id;
    perform boards.add_to_sums(array_agg(boards.sum_of_card(c)), 1) from boards.cards c
    where c.brand_id = seen.brand_id and c.board_id = seen.id and c.status = 'done';
    perform boards.add_to_sums(array_agg(boards.sum_of_run(r, seen.id)), 1)
    from boards.cards c join boards.runs r on r.brand_id = c.brand_id and r.card_id = c.id
    where c.brand_id = seen.brand_id and c.board_id = seen.id and c.runs_count > 0
      and (r.usage_tokens > 0 or r.usage_cost_micros > 0);
    commit;
  end loop;
  perform set_config('app.system', coalesce(before, ''), false);
end $$;
revoke execute on procedure boards.fill_sums() from public;
