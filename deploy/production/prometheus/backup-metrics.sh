#!/bin/sh
# Tells Prometheus how old the last backup is and whether the repository is whole, through the text files of the node exporter.
# Run it as the user of pgBackRest after each backup: backup-metrics.sh STANZA [verify]. With `verify` it also runs
# ../pgbackrest/verify (VERIFY names another), shows what that says and ends as that does.
set -eu
stanza=$1
folder=${TEXTFILE_DIRECTORY:-/var/lib/prometheus/node-exporter}
file=$folder/crewhall-backup.prom
verified=$(sed -n 's/^crewhall_backup_verified //p' "$file" 2>/dev/null || true)
last=$(pgbackrest --stanza="$stanza" --output=json info | tr '{},' '[\n*]' | sed -n 's/^ *"stop": *\([0-9][0-9]*\).*/\1/p' | sort -n | tail -n 1)
bad=0
if [ "${2:-}" = verify ]; then
  # However old: the age is a number and an alert of its own.
  if "${VERIFY:-$(dirname "$0")/../pgbackrest/verify}" "$stanza" 1000000; then verified=1; else verified=0 bad=1; fi
fi
part=$(mktemp "$folder/.crewhall-backup.XXXXXX")
{
  echo '# TYPE crewhall_backup_success_timestamp_seconds gauge'
  [ -z "$last" ] || echo "crewhall_backup_success_timestamp_seconds $last"
  if [ -n "$verified" ]; then
    echo '# TYPE crewhall_backup_verified gauge'
    echo "crewhall_backup_verified $verified"
  fi
} >"$part"
chmod 644 "$part"
# In one step, so that a scrape never finds half of it.
mv "$part" "$file"
exit "$bad"
