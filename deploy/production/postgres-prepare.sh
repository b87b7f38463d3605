# Runs once, on an empty volume. The image reads this script into its own shell, so it must not change shell options.
# Two roles: crewhall owns the database and migrates it; the product runs as crewhall_app, which owns nothing, so that
# row-level security holds for it. Migrations grant it what it needs. Extensions and marks of functions need a superuser;
# without the marks search is right but slow: docs/decisions/0046-leakproof-search.md.
# shellcheck shell=sh
psql --set ON_ERROR_STOP=1 --username postgres --dbname template1 \
  --command 'create extension vector' \
  --command 'create extension pg_trgm' \
  --command 'create extension btree_gin' \
  --command 'alter function ts_match_vq(tsvector, tsquery) leakproof' \
  --command 'alter function word_similarity_commutator_op(text, text) leakproof'
psql --set ON_ERROR_STOP=1 --username postgres <<'SQL'
\set owner_password `cat "${CREWHALL_SECRETS:-/run/secrets}/postgres_owner_password"`
\set app_password `cat "${CREWHALL_SECRETS:-/run/secrets}/postgres_app_password"`
create role crewhall login createdb password :'owner_password';
create role crewhall_app login password :'app_password';
create database crewhall owner crewhall;
SQL
