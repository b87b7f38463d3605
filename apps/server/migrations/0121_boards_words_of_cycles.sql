-- Cards are found by their cycle. Those that are in none have the words that they had.
create or replace function boards.card_words(c boards.cards) returns tsvector
  language sql immutable parallel safe
  return boards.branded(c.brand_id,
      setweight(boards.plain_words(c.title), 'A') || setweight(boards.plain_words(c.description), 'B'))
    || array_to_tsvector(array_remove(array[
      c.brand_id::text || case when c.archived_at is null then '#card' else '#archived' end,
      c.brand_id::text || '#board=' || c.board_id::text,
      c.brand_id::text || '#priority=' || c.priority,
      c.brand_id::text || '#task_type=' || c.task_type,
      c.brand_id::text || '#assignee=' || coalesce(boards.named_actor(c.assignee), 'none'),
      c.brand_id::text || '#delegate=' || coalesce(boards.named_actor(c.delegate), 'none'),
      c.brand_id::text || '#created_by=' || boards.named_actor(c.created_by),
      c.brand_id::text || '#created_by=agent:' || (c.created_by ->> 'agent_id'),
      c.brand_id::text || '#parent=' || coalesce(c.parent_id::text, 'none'),
      c.brand_id::text || '#has_pr=' || case when c.pr_number is null then 'false' else 'true' end,
      c.brand_id::text || '#cycle=' || c.cycle_id::text]
    || case when cardinality(c.labels) > 0 then boards.marked(c.brand_id::text || '#label=', c.labels) end, null));

drop trigger search_changed on boards.cards;
create trigger search_changed after update on boards.cards for each row
  when (row(old.title, old.description, old.labels, old.priority, old.task_type, old.assignee, old.delegate,
      old.created_by, old.parent_id, old.pr_number is null, old.archived_at is null, old.cycle_id)
    is distinct from row(new.title, new.description, new.labels, new.priority, new.task_type, new.assignee, new.delegate,
      new.created_by, new.parent_id, new.pr_number is null, new.archived_at is null, new.cycle_id))
  execute function boards.keep_card_words();
