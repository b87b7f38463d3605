#!/bin/sh
# collect-root.sh TARGET NAME NATIVE FILE…: copies files and folders into TARGET with every library that their programs load, and
# those that native parts below NATIVE load. Writes which
# Debian packages they are from, with their notices, and makes a user without rights.
set -eu
target=$1 name=$2 native=$3
shift 3
mkdir -p "$target"

libraries() {
  # A static program, a script and a file that is none have no list.
  ldd "$1" 2>/dev/null | sed -n 's/^[^/]*\(\/[^ ]*\) (0x.*$/\1/p' || true
}

loaded=$(
  {
    for given in "$@"; do find -H "$given" -type f -perm /111; done
    [ -z "$native" ] || find "$native" -type f \( -name '*.node' -o -name '*.so' -o -name '*.so.*' \)
  } | while read -r file; do libraries "$file"; done | grep -v "^${native:-/none}/" | sort -u
)
for path in "$@"; do
  if [ -d "$path" ]; then cp -a --parents "$path" "$target"; else cp -L --parents "$path" "$target"; fi
done
for path in $loaded; do cp -L --parents "$path" "$target"; done

# Debian lists files where they were before /lib became a link into /usr.
packages=$(
  for path in "$@" $loaded; do
    real=$(readlink -f "$path")
    dpkg-query --search "$real" "${real#/usr}" "$path" 2>/dev/null || true
  done | sed 's/:.*//' | sort -u
)
mkdir -p "$target/usr/share/doc"
for package in $packages; do
  dpkg-query --show --showformat='${source:Package} ${Package} ${Version}\n' "$package"
  notice=/usr/share/doc/$package/copyright
  [ ! -f "$notice" ] || cp -L --parents "$notice" "$target"
done | sort -u >"$target/usr/share/doc/debian-packages-$name.txt"

mkdir -p "$target/etc" "$target/tmp" "$target/var/tmp"
chmod 1777 "$target/tmp" "$target/var/tmp"
printf 'root:x:0:0::/nonexistent:/bin/false\ncrewhall:x:10001:10001::/nonexistent:/bin/false\n' >"$target/etc/passwd"
printf 'root:x:0:\ncrewhall:x:10001:\n' >"$target/etc/group"
printf 'hosts: files dns\n' >"$target/etc/nsswitch.conf"
find "$target" -type f -perm /6000 -exec chmod a-s {} +
