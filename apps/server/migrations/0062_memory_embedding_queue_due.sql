-- Whether anything is due at all, however much waits for its next attempt.
create index embedding_queue_due_at on memory.embedding_queue (due_at);
