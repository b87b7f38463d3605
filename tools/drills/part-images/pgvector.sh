#!/bin/bash
# Does what the entrypoint of the public image does for deploy/production/compose.yaml, and nothing else of it.
set -eu
export PATH=/usr/lib/postgresql/17/bin:$PATH PGDATA=/var/lib/postgresql/data
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # shellcheck disable=SC2086
  initdb --username=postgres --pwfile="$POSTGRES_PASSWORD_FILE" ${POSTGRES_INITDB_ARGS:-} -D "$PGDATA"
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  echo "listen_addresses = '*'" >>"$PGDATA/postgresql.conf"
  pg_ctl -D "$PGDATA" -w -o "-c listen_addresses=''" start
  for script in /docker-entrypoint-initdb.d/*.sh; do
    # shellcheck disable=SC1090
    . "$script"
  done
  pg_ctl -D "$PGDATA" -m fast -w stop
fi
exec "$@"
