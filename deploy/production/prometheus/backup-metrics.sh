#!/bin/sh
# Tells Prometheus how old the last good backup is, whether the repository is whole and when that was last seen, through the text
# files of the node exporter. Run it as the user of pgBackRest after each backup: backup-metrics.sh STANZA [verify]. With `verify` it
# also runs ../pgbackrest/verify (VERIFY names another), shows what that says and ends as that does.
set -eu
stanza=$1
folder=${TEXTFILE_DIRECTORY:-/var/lib/prometheus/node-exporter}
file=$folder/crewhall-backup.prom
# There while verify runs, with the process that waits for it.
under_way=$folder/.crewhall-backup.verifying
value_of() { sed -n "s/^$1 //p" "$file" 2>/dev/null || true; }
verified=$(value_of crewhall_backup_verified)
verified_at=$(value_of crewhall_backup_verified_timestamp_seconds)
# Not one that was made of damaged pages.
last=$(pgbackrest --stanza="$stanza" --output=json info | tr '{},' '[\n*]' | awk '
  /^ *"error": *true/ { bad = 1 }
  /^ *"stop": *[0-9]+ *$/ { if (!bad) { sub(/^[^:]*: */, ""); print }; bad = 0 }' | sort -n | tail -n 1)
code=0 is_cut=
if [ "${2:-}" = verify ]; then
  began=$(date +%s)
  echo $$ >"$under_way"
  # However old: the age is a number and an alert of its own.
  "${VERIFY:-$(dirname "$0")/../pgbackrest/verify}" "$stanza" 1000000 || code=$?
  rm -f "$under_way"
  if [ "$code" = 0 ]; then verified=1 verified_at=$began
  elif [ "$code" -gt 128 ]; then is_cut=1
  else verified=0; fi
elif [ -e "$under_way" ] && ! kill -0 "$(cat "$under_way")" 2>/dev/null; then
  is_cut=1
  rm -f "$under_way"
fi
# Killed, verify has said nothing of this backup; that the one before it was whole is no answer. What was damaged still is.
[ -z "$is_cut" ] || [ "$verified" = 0 ] || verified=
part=$(mktemp "$folder/.crewhall-backup.XXXXXX")
{
  echo '# TYPE crewhall_backup_success_timestamp_seconds gauge'
  [ -z "$last" ] || echo "crewhall_backup_success_timestamp_seconds $last"
  # 0 where there was none yet, so that it is old and not absent.
  echo '# TYPE crewhall_backup_verified_timestamp_seconds gauge'
  echo "crewhall_backup_verified_timestamp_seconds ${verified_at:-0}"
  if [ -n "$verified" ]; then
    echo '# TYPE crewhall_backup_verified gauge'
    echo "crewhall_backup_verified $verified"
  fi
} >"$part"
chmod 644 "$part"
# In one step, so that a scrape never finds half of it.
mv "$part" "$file"
exit "$code"
