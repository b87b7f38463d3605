-- The entries of one card, newest first. An index of a partitioned table cannot be built concurrently: it is built month
-- by month instead, each in a transaction of its own. Nobody writes to months that are past, so that writers wait only
-- while the current one is built. A process that died in between goes on where it stopped.
create procedure boards.index_activity_of_cards() language plpgsql as $$
declare
  part  text;
  index text;
begin
  create index if not exists activity_card on only boards.activity (brand_id, card_id, created_at, id);
  commit;
  loop
    -- Looked up anew each time: months come and go meanwhile. New ones have the index from the start.
    select p.name into part from platform.partitions_of('boards.activity') p
      where not exists (select from pg_inherits h join pg_index i on i.indexrelid = h.inhrelid
        where h.inhparent = 'boards.activity_card'::regclass and i.indrelid = p.name::regclass)
      order by p.from_at desc nulls last limit 1;
    exit when part is null;
    index := (select relname || '_card' from pg_class where oid = part::regclass);
    execute format('create index %I on %s (brand_id, card_id, created_at, id)', index, part);
    execute format('alter index boards.activity_card attach partition boards.%I', index);
    commit;
  end loop;
end $$;
revoke execute on procedure boards.index_activity_of_cards() from public;
