-- kind: outside a transaction
-- No release has used it.
drop index concurrently if exists boards.search_texts_words;
