-- kind: outside a transaction
-- For words with typing errors, which are few.
create index concurrently search_texts_title on boards.search_texts using gin (brand_id, title gin_trgm_ops) with (gin_pending_list_limit = 1024) where title is not null;
