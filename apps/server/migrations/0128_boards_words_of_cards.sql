-- kind: outside a transaction
-- Cards and comments apart: both are asked for the same words, and the rows of a common word were read for each.
create index concurrently search_texts_card_words on boards.search_texts using gin (brand_id, words) with (gin_pending_list_limit = 256) where comment_id is null;
