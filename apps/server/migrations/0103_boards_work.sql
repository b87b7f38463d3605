-- kind: outside a transaction
-- What agents may take up, over all boards of a workspace: the most urgent first, then what is due first.
create index concurrently cards_work on boards.cards (brand_id,
    (case priority when 'urgent' then 0 when 'high' then 1 when 'medium' then 2 when 'low' then 3 else 4 end),
    due_at, rank, id)
  where archived_at is null and open_blockers = 0 and claim_id is null and status in ('pending', 'in_progress')
    and source <> 'guest';
