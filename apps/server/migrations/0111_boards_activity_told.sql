-- What a follower would otherwise have to read: the ref and title of the card, and its changed fields with both values.
-- Entries from before have none.
alter table boards.activity add column told jsonb;
