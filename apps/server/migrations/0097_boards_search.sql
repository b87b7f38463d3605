-- What search reads of cards and comments: a row for each. The words of a card are not on the card itself, because each
-- move, claim and heartbeat writes that row anew, and with it would write every word into the index again.
--
-- A word begins with the number of its workspace. The beginning of a word is looked up in the index by walking over all
-- words that begin so, and then nobody walks over the words of others.
create function boards.branded(brand_id int, words tsvector) returns tsvector
  language sql immutable parallel safe
  return replace(' ' || words::text, ' ''', ' ''' || brand_id || '.')::tsvector;

-- Parts of paths, addresses and names are words of their own. What is longer than any word is none; a short text has none
-- of them.
create function boards.plain_words(given text) returns tsvector
  language sql immutable parallel safe
  return to_tsvector('english', case when octet_length(given) < 2000 then translate(given, './@:_-', '      ')
    else regexp_replace(translate(given, './@:_-', '      '), '\S{255,}', ' ', 'g') end);

create function boards.named_actor(actor jsonb) returns text
  language sql immutable parallel safe
  return (actor ->> 'kind') || ':' || (actor ->> 'id');

-- Facts that cards are filtered by stand among the words, so that one look into one index serves both. No word has a `#`.
-- A batch of a hundred cards waits for this a hundred times, so it is written for speed.
create function boards.card_words(c boards.cards) returns tsvector
  language plpgsql immutable parallel safe as $$
declare
  own text := c.brand_id || '#';
  marks text[] := array[
    own || case when c.archived_at is null then 'card' else 'archived' end,
    own || 'board=' || c.board_id::text,
    own || 'priority=' || c.priority,
    own || 'task_type=' || c.task_type,
    own || 'assignee=' || coalesce(boards.named_actor(c.assignee), 'none'),
    own || 'delegate=' || coalesce(boards.named_actor(c.delegate), 'none'),
    own || 'created_by=' || boards.named_actor(c.created_by),
    own || 'created_by=agent:' || (c.created_by ->> 'agent_id'),
    own || 'parent=' || coalesce(c.parent_id::text, 'none'),
    own || 'has_pr=' || case when c.pr_number is null then 'false' else 'true' end];
begin
  if cardinality(c.labels) > 0 then
    marks := marks || array(select own || 'label=' || label from unnest(c.labels) as l (label));
  end if;
  return boards.branded(c.brand_id,
      setweight(boards.plain_words(c.title), 'A') || setweight(boards.plain_words(c.description), 'B'))
    || array_to_tsvector(array_remove(marks, null));
end $$;

create function boards.comment_words(brand_id int, board_id uuid, body text) returns tsvector
  language sql immutable parallel safe
  return boards.branded(brand_id, setweight(boards.plain_words(body), 'C'))
    || array_to_tsvector(array[brand_id || '#comment', brand_id || '#board=' || board_id::text]);

create table boards.search_texts (
  brand_id   int      not null,
  -- Of the card or of the comment.
  id         uuid     not null,
  card_id    uuid     not null,
  comment_id uuid,
  -- Of a card, for words with typing errors.
  title      text,
  words      tsvector not null,
  constraint search_texts_pkey primary key (brand_id, id),
  constraint search_texts_card_fkey foreign key (brand_id, card_id) references boards.cards (brand_id, id)
    on delete cascade,
  constraint search_texts_comment_fkey foreign key (brand_id, comment_id) references boards.comments (brand_id, id)
    on delete cascade
);
create index search_texts_card on boards.search_texts (brand_id, card_id);
create index search_texts_comment on boards.search_texts (brand_id, comment_id);
alter table boards.search_texts enable row level security;
alter table boards.search_texts force row level security;
create policy tenant on boards.search_texts
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on boards.search_texts
  using ((select platform.is_system())) with check ((select platform.is_system()));

-- By triggers, so that the version which still runs during a release keeps them as well.
create function boards.add_card_words() returns trigger language plpgsql as $$
begin
  insert into boards.search_texts (brand_id, id, card_id, title, words)
  values (new.brand_id, new.id, new.id, new.title, boards.card_words(new));
  return null;
end $$;
create function boards.keep_card_words() returns trigger language plpgsql as $$
begin
  insert into boards.search_texts (brand_id, id, card_id, title, words)
  values (new.brand_id, new.id, new.id, new.title, boards.card_words(new))
  on conflict (brand_id, id) do update set title = excluded.title, words = excluded.words;
  return null;
end $$;
create function boards.keep_comment_words() returns trigger language plpgsql as $$
begin
  insert into boards.search_texts (brand_id, id, card_id, comment_id, words)
  select new.brand_id, new.id, new.card_id, new.id, boards.comment_words(c.brand_id, c.board_id, new.body)
  from boards.cards c where c.brand_id = new.brand_id and c.id = new.card_id
  on conflict (brand_id, id) do update set words = excluded.words;
  return null;
end $$;
create trigger search_added after insert on boards.cards
  for each row execute function boards.add_card_words();
create trigger search_changed after update on boards.cards for each row
  when (row(old.title, old.description, old.labels, old.priority, old.task_type, old.assignee, old.delegate,
      old.created_by, old.parent_id, old.pr_number is null, old.archived_at is null)
    is distinct from row(new.title, new.description, new.labels, new.priority, new.task_type, new.assignee, new.delegate,
      new.created_by, new.parent_id, new.pr_number is null, new.archived_at is null))
  execute function boards.keep_card_words();
create trigger search_added after insert on boards.comments
  for each row execute function boards.keep_comment_words();
create trigger search_changed after update on boards.comments for each row
  when (old.body is distinct from new.body) execute function boards.keep_comment_words();

-- Any of the words of a text, as they are searched for.
create function boards.any_of(brand_id int, given text) returns tsquery
  language sql immutable parallel safe
  return coalesce((
    select string_agg('''' || brand_id || '.' || replace(replace(lexeme, '\', '\\'), '''', '''''') || '''', ' | ')
    from unnest(tsvector_to_array(boards.plain_words(given))) as w (lexeme)), '')::tsquery;
-- The same for the word that is being typed: it, or what begins with it. A word that is never searched for, such as
-- `the`, counts as a beginning only where nothing else is asked for.
create function boards.beginning(brand_id int, word text, is_alone boolean) returns tsquery
  language sql immutable parallel safe
  return coalesce((
    select string_agg('''' || brand_id || '.' || replace(replace(lexeme, '\', '\\'), '''', '''''') || ''':*', ' | ')
    from (
      select lexeme from unnest(tsvector_to_array(boards.plain_words(word))) as w (lexeme)
      union select lower(word) where is_alone or boards.plain_words(word) <> ''::tsvector) as w (lexeme)), '')::tsquery;
create function boards.wanted(brand_id int, words text[], at int, is_open boolean) returns tsquery
  language sql immutable parallel safe
  return case when is_open and at = cardinality(words)
    then boards.beginning(brand_id, words[at], at = 1) else boards.any_of(brand_id, words[at]) end;
create function boards.all_of(brand_id int, words text[], is_open boolean) returns tsquery
  language sql immutable parallel safe
  return coalesce((
    select string_agg('(' || wanted::text || ')', ' & ')
    from (select boards.wanted(brand_id, words, at, is_open) as wanted from generate_subscripts(words, 1) as s (at)) as w
    where numnode(wanted) > 0), '')::tsquery;

-- For what is there already, a thousand rows at a time: a writer of one of them waits for these at most. What a trigger
-- has written meanwhile is newer and stays.
create procedure boards.fill_search_texts() language plpgsql as $$
declare
  before text := current_setting('app.system', true);
  seen boards.search_texts%rowtype;
begin
  perform set_config('app.system', 'on', false);
  seen.brand_id := 0;
  seen.id := '00000000-0000-0000-0000-000000000000';
  loop
    with bitten as materialized (
      select c.brand_id, c.id, c.title, c as card from boards.cards c
      where (c.brand_id, c.id) > (seen.brand_id, seen.id) order by c.brand_id, c.id limit 1000),
    filled as (
      insert into boards.search_texts (brand_id, id, card_id, title, words)
      select s.brand_id, s.id, s.id, s.title, boards.card_words(s.card) from bitten s
      on conflict (brand_id, id) do nothing)
    select s.brand_id, s.id into seen.brand_id, seen.id from bitten s order by s.brand_id desc, s.id desc limit 1;
    exit when not found;
    commit;
  end loop;
  seen.brand_id := 0;
  seen.id := '00000000-0000-0000-0000-000000000000';
  loop
    with bitten as materialized (
      select m.brand_id, m.id, m.card_id, m.body from boards.comments m
      where (m.brand_id, m.id) > (seen.brand_id, seen.id) order by m.brand_id, m.id limit 1000),
    filled as (
      insert into boards.search_texts (brand_id, id, card_id, comment_id, words)
      select m.brand_id, m.id, m.card_id, m.id, boards.comment_words(c.brand_id, c.board_id, m.body)
      from bitten m join boards.cards c on c.brand_id = m.brand_id and c.id = m.card_id
      on conflict (brand_id, id) do nothing)
    select s.brand_id, s.id into seen.brand_id, seen.id from bitten s order by s.brand_id desc, s.id desc limit 1;
    exit when not found;
    commit;
  end loop;
  perform set_config('app.system', coalesce(before, ''), false);
end $$;
revoke execute on procedure boards.fill_search_texts() from public;
