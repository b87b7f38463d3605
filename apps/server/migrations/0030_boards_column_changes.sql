-- A column of very many cards takes over a new status, or is emptied, a bite at a time. Until that is done it says how
-- many are left, and where they go.
alter table boards.columns
  add column cards_changing int not null default 0,
  add column moving_to uuid,
  add constraint columns_cards_changing_not_negative check (cards_changing >= 0);
