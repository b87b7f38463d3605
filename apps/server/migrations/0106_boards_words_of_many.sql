-- The words of many cards at once, for a batch. The bodies say what those of 0097 said, in expressions that PostgreSQL
-- takes into the statement that asks: a fourth of the time for each card. What keeps it from doing so is a function that
-- is not immutable, as `||` of a number and a text is, or a subquery.
create or replace function boards.branded(brand_id int, words tsvector) returns tsvector
  language sql immutable parallel safe
  return replace(' ' || words::text, ' ''', ' ''' || brand_id::text || '.')::tsvector;

create function boards.marked(mark text, names text[]) returns text[]
  language plpgsql immutable parallel safe as $$
begin
  for at in 1 .. cardinality(names) loop
    names[at] := mark || names[at];
  end loop;
  return names;
end $$;

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
      c.brand_id::text || '#has_pr=' || case when c.pr_number is null then 'false' else 'true' end]
    || case when cardinality(c.labels) > 0 then boards.marked(c.brand_id::text || '#label=', c.labels) end, null));

create or replace function boards.add_card_words() returns trigger language plpgsql as $$
begin
  insert into boards.search_texts (brand_id, id, card_id, title, words)
  select c.brand_id, c.id, c.id, c.title, boards.card_words(c) from added c;
  return null;
end $$;
drop trigger search_added on boards.cards;
create trigger search_added after insert on boards.cards
  referencing new table as added for each statement execute function boards.add_card_words();
