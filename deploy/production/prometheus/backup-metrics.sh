#!/bin/sh
# Tells Prometheus how old the last backup is and whether the repository is whole, through the text files of the node exporter.
# Run it as the user of pgBackRest after each backup, and once a day with `verify`: backup-metrics.sh STANZA [verify]
set -eu
stanza=$1
folder=${TEXTFILE_DIRECTORY:-/var/lib/prometheus/node-exporter}
file=$folder/crewhall-backup.prom
verified=$(sed -n 's/^crewhall_backup_verified //p' "$file" 2>/dev/null || true)
last=$(pgbackrest --stanza="$stanza" --output=json info | tr '{},' '[\n*]' | sed -n 's/^ *"stop": *\([0-9][0-9]*\).*/\1/p' | sort -n | tail -n 1)
if [ "${2:-}" = verify ]; then
  # It ends with 0 even when it has found damage, so its words count.
  if said=$(pgbackrest --stanza="$stanza" --output=text --verbose verify 2>&1) && printf '%s' "$said" | grep -q 'status: ok' &&
    ! printf '%s' "$said" | grep -q 'status: error'; then
    verified=1
  else
    verified=0
  fi
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
