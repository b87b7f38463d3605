-- A hundred new cards wait for a hundred checks of each foreign key. Rows of search are written by triggers alone, in the
-- transaction of what they are made of, so they can go the same way, and need no index for it.
create function boards.drop_words() returns trigger language plpgsql as $$
begin
  delete from boards.search_texts s using gone g where s.brand_id = g.brand_id and s.id = g.id;
  return null;
end $$;
create trigger search_dropped after delete on boards.cards
  referencing old table as gone for each statement execute function boards.drop_words();
create trigger search_dropped after delete on boards.comments
  referencing old table as gone for each statement execute function boards.drop_words();
alter table boards.search_texts drop constraint search_texts_card_fkey, drop constraint search_texts_comment_fkey;
drop index boards.search_texts_card, boards.search_texts_comment;

-- The key of its column has the board in it, and the column that of its board.
alter table boards.cards drop constraint cards_board_fkey;
