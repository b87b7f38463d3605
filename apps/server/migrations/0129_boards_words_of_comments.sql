-- kind: outside a transaction
create index concurrently search_texts_comment_words on boards.search_texts using gin (brand_id, words) with (gin_pending_list_limit = 256) where comment_id is not null;
