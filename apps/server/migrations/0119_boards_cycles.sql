-- Named time boxes of a board. A board is the lock of its cycles, as of its cards: the sums are kept by triggers under it.
create table boards.cycles (
  brand_id         int         not null,
  board_id         uuid        not null,
  id               uuid        not null default gen_random_uuid(),
  name             text        not null,
  goal             text        not null default '',
  -- Both days belong to it. No two cycles of a board share a day.
  starts_on        date        not null,
  ends_on          date        not null,
  started_at       timestamptz,
  closed_at        timestamptz,
  -- Where open cards go once it is closed; they leave without it.
  carry_to         uuid,
  is_carrying      boolean     not null default false,
  -- Cards that are neither archived nor canceled, now.
  cards            int         not null default 0,
  cards_done       int         not null default 0,
  cards_unsized    int         not null default 0,
  cards_added      int         not null default 0,
  estimate         numeric     not null default 0,
  estimate_done    numeric     not null default 0,
  estimate_added   numeric     not null default 0,
  -- The same when it was started and closed.
  planned_cards    int         not null default 0,
  planned_estimate numeric     not null default 0,
  at_close         jsonb,
  created_at       timestamptz not null default platform.now(),
  constraint cycles_pkey primary key (brand_id, id),
  constraint cycles_board_fkey foreign key (brand_id, board_id) references boards.boards (brand_id, id)
    on delete cascade,
  constraint cycles_days_in_order check (starts_on <= ends_on),
  constraint cycles_closed_after_start check (closed_at is null or started_at is not null)
);
create index cycles_days on boards.cycles (brand_id, board_id, starts_on, id);
alter table boards.cycles enable row level security;
alter table boards.cycles force row level security;
create policy tenant on boards.cycles
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on boards.cycles
  using ((select platform.is_system())) with check ((select platform.is_system()));

-- Without a foreign key, which would make every reader of keys look at cards: a cycle goes only when no card is in it.
alter table boards.cards
  add cycle_id       uuid,
  -- It came after the cycle was started.
  add cycle_is_added boolean not null default false;

create function boards.count_in_cycle(c boards.cards, more int) returns void language sql as $$
  update boards.cycles y set
    cards = y.cards + more,
    cards_done = y.cards_done + case when c.status = 'done' then more else 0 end,
    cards_unsized = y.cards_unsized + case when c.estimate is null then more else 0 end,
    cards_added = y.cards_added + case when c.cycle_is_added then more else 0 end,
    estimate = y.estimate + more * coalesce(c.estimate::numeric, 0),
    estimate_done = y.estimate_done + case when c.status = 'done' then more * coalesce(c.estimate::numeric, 0) else 0 end,
    estimate_added = y.estimate_added + case when c.cycle_is_added then more * coalesce(c.estimate::numeric, 0) else 0 end
  where y.brand_id = c.brand_id and y.id = c.cycle_id and c.archived_at is null and c.status <> 'canceled'
$$;
create function boards.count_cycles() returns trigger language plpgsql as $$
begin
  perform boards.count_in_cycle(old, -1);
  if tg_op = 'UPDATE' then
    perform boards.count_in_cycle(new, 1);
  end if;
  return null;
end $$;
-- No card is created in a cycle. The condition keeps all others from the cost of a call.
create trigger cycles_changed after update on boards.cards for each row
  when ((old.cycle_id is not null or new.cycle_id is not null)
    and (old.cycle_id is distinct from new.cycle_id or old.status <> new.status
      or old.estimate is distinct from new.estimate or (old.archived_at is null) <> (new.archived_at is null)
      or old.cycle_is_added <> new.cycle_is_added))
  execute function boards.count_cycles();
create trigger cycles_left after delete on boards.cards for each row
  when (old.cycle_id is not null) execute function boards.count_cycles();
