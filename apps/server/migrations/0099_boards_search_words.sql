-- kind: outside a transaction
-- New entries wait in a short list until it is full, and then go in together, which takes a fraction of the time. Each search
-- reads the list: 256 kB at most, whoever has written them.
create index concurrently search_texts_words on boards.search_texts using gin (brand_id, words) with (gin_pending_list_limit = 256);
