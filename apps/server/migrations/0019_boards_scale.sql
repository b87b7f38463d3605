-- Cross-board pages choose their cards from the index alone, also those that ask for a pull request.
drop index boards.cards_updated;
create index cards_updated on boards.cards (brand_id, column_id, updated_at desc, id desc) include (pr_number)
  where archived_at is null;
