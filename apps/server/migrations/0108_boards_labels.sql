-- The labels of a board: those that its cards have, and those that were made. Cards keep the names themselves, so that lists
-- and search read no other table. A new name is carried to the cards in batches; until then the old name stays as a row
-- that is leaving, with the label that its cards move to.
create table boards.labels (
  brand_id   int         not null,
  board_id   uuid        not null,
  id         uuid        not null default gen_random_uuid(),
  name       text        not null,
  color      text,
  -- Cards that are not archived.
  card_count int         not null default 0,
  -- Stays without cards, because somebody made or changed it.
  is_kept    boolean     not null default false,
  is_leaving boolean     not null default false,
  moving_to  uuid,
  created_at timestamptz not null default platform.now(),
  constraint labels_pkey primary key (brand_id, id),
  constraint labels_name_key unique (brand_id, board_id, name),
  constraint labels_board_fkey foreign key (brand_id, board_id) references boards.boards (brand_id, id)
    on delete cascade,
  constraint labels_moving_to_fkey foreign key (brand_id, moving_to) references boards.labels (brand_id, id)
    on delete set null (moving_to),
  constraint labels_moving_leaves check (moving_to is null or is_leaving)
);
create index labels_moving_to on boards.labels (brand_id, moving_to);
alter table boards.labels enable row level security;
alter table boards.labels force row level security;
create policy tenant on boards.labels
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on boards.labels
  using ((select platform.is_system())) with check ((select platform.is_system()));

-- By triggers, so that the version which still runs during a release counts as well. Every writer of cards has locked their
-- board, so nobody else counts on it meanwhile.
create function boards.count_new_labels() returns trigger language plpgsql as $$
begin
  insert into boards.labels as l (brand_id, board_id, name, card_count)
  select a.brand_id, a.board_id, n.name, count(distinct a.id)
  from added a cross join unnest(a.labels) as n (name)
  where a.archived_at is null group by 1, 2, 3 order by 1, 2, 3
  on conflict (brand_id, board_id, name) do update set card_count = l.card_count + excluded.card_count;
  return null;
end $$;
create function boards.count_labels() returns trigger language plpgsql as $$
begin
  insert into boards.labels as l (brand_id, board_id, name, card_count)
  select new.brand_id, new.board_id, d.name, sum(d.more)
  from (
    select distinct name, 1 as more from unnest(new.labels) as n (name) where new.archived_at is null
    union all
    select distinct name, -1 from unnest(old.labels) as o (name) where old.archived_at is null) d
  group by d.name having sum(d.more) <> 0 order by d.name
  on conflict (brand_id, board_id, name) do update set card_count = l.card_count + excluded.card_count;
  delete from boards.labels l
  where l.brand_id = new.brand_id and l.board_id = new.board_id and l.name = any(old.labels)
    and l.card_count = 0 and not l.is_kept and not l.is_leaving;
  return null;
end $$;
create trigger labels_added after insert on boards.cards referencing new table as added
  for each statement execute function boards.count_new_labels();
create trigger labels_changed after update on boards.cards for each row
  when ((cardinality(old.labels) > 0 or cardinality(new.labels) > 0)
    and (old.labels is distinct from new.labels or (old.archived_at is null) <> (new.archived_at is null)))
  execute function boards.count_labels();

-- For what is there already, a board at a time, under the lock that its writers take.
create procedure boards.fill_labels() language plpgsql as $$
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
    delete from boards.labels l where l.brand_id = seen.brand_id and l.board_id = seen.id;
    insert into boards.labels (brand_id, board_id, name, card_count)
    select seen.brand_id, seen.id, n.name, count(distinct c.id)
    from boards.cards c cross join unnest(c.labels) as n (name)
    where c.brand_id = seen.brand_id and c.board_id = seen.id and c.archived_at is null group by n.name;
    commit;
  end loop;
  perform set_config('app.system', coalesce(before, ''), false);
end $$;
revoke execute on procedure boards.fill_labels() from public;
