-- Whether anything is due at all, however much waits for its next attempt.
create index embedding_queue_due_at on memory.embedding_queue (due_at);

-- The mark of the queue tells whether a vector is that of the text; nothing has ever read this.
alter table memory.embeddings drop column text_hash;
