-- kind: outside a transaction
-- Cards of a pull request. Addresses may be longer than an index takes.
create index concurrently cards_pr on boards.cards (brand_id, md5(pr_url)) where pr_url is not null and archived_at is null;
