-- The time of the product. Statements ask this function, never now() itself, so that a test can move
-- the clock of one database. Postgres inlines it: it costs nothing.
create function platform.now() returns timestamptz
  language sql stable parallel safe
  return now();
