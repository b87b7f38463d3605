#!/bin/sh
# Runs PostgreSQL in the foreground, as its own user, out of the root folder $1 ("/" or a Debian in a folder).
# $2 is the folder of the part. It is bound to the home of the postgres user in a private mount namespace,
# so neither the permissions nor the names of the folders above it matter.
# Called as root by postgres-part.ts through: unshare --mount --propagation private
set -eu
root=${1%/} part=$2 bin=$3
home=/var/lib/postgresql
as_postgres() { chroot --userspec=postgres:postgres "$root/" "$@"; }

if [ -n "$root" ]; then
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
fi
mount --bind "$part" "$root$home"

if [ ! -f "$part/data/PG_VERSION" ]; then
  # The rename makes a half-made cluster impossible.
  rm -rf "$part/data" "$part/data.new"
  mkdir -m 700 "$part/data.new"
  chroot "$root/" chown postgres:postgres "$home/data.new" "$home/superuser-password"
  as_postgres "$bin/initdb" -D "$home/data.new" --no-sync --encoding=UTF8 --locale=C.UTF-8 \
    --username=postgres --pwfile="$home/superuser-password" --auth=scram-sha-256
  echo "include '../crewhall.conf'" >> "$part/data.new/postgresql.conf"
  mv "$part/data.new" "$part/data"
fi
rm -f "$part/superuser-password"
exec chroot --userspec=postgres:postgres "$root/" "$bin/postgres" -D "$home/data"
