#!/bin/sh
# Boots a host in the foreground: the folder $2 on top of the root $1, in the network namespace $3. Its first process is
# systemd, or with `plain` as $4 a small one that only starts cron, as in a container or on a system of another kind.
# Called by test-host.ts through: unshare --mount --propagation private
# Mounts are seen by the host alone and end with it.
set -eu
root=$1 folder=$2 name=$3 init=$4
# systemd wants the unified hierarchy, in a group that it may divide. Machines with the old one have both.
umount --recursive /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
mkdir -p "/sys/fs/cgroup/$name"
echo $$ > "/sys/fs/cgroup/$name/cgroup.procs"
mount -t overlay overlay -o "lowerdir=$root,upperdir=$folder/changes,workdir=$folder/work" "$folder/root"
set -- --quiet --directory="$folder/root" --machine="$name" --register=no --keep-unit \
  --capability=all --network-namespace-path="/run/netns/$name" --bind=/dev/net/tun \
  --resolv-conf=copy-host --timezone=off --console=pipe
# Folders of this machine that the host sees, as FROM:TO. One that has any may run containers, which want keyrings and to set
# something about their network: rented machines let them.
for bind in ${HOST_BINDS:-}; do
  set -- "$@" --bind="$bind" --system-call-filter=@keyring
  export SYSTEMD_NSPAWN_API_VFS_WRITABLE=network
done
[ "$init" = plain ] || exec systemd-nspawn "$@" --boot
exec systemd-nspawn "$@" --as-pid2 /bin/sh -c \
  '[ -s /etc/machine-id ] || tr -d - </proc/sys/kernel/random/uuid >/etc/machine-id; cron; exec sleep infinity'
