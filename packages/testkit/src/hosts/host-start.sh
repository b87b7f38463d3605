#!/bin/sh
# Boots a host in the foreground: the folder $2 on top of the root $1, in the network namespace $3.
# Called by test-host.ts through: unshare --mount --propagation private
# Mounts are seen by the host alone and end with it.
set -eu
root=$1 folder=$2 name=$3
# systemd wants the unified hierarchy, in a group that it may divide. Machines with the old one have both.
umount --recursive /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
mkdir -p "/sys/fs/cgroup/$name"
echo $$ > "/sys/fs/cgroup/$name/cgroup.procs"
mount -t overlay overlay -o "lowerdir=$root,upperdir=$folder/changes,workdir=$folder/work" "$folder/root"
exec systemd-nspawn --quiet --directory="$folder/root" --machine="$name" --boot --register=no --keep-unit \
  --capability=all --network-namespace-path="/run/netns/$name" --bind=/dev/net/tun \
  --resolv-conf=copy-host --timezone=off --console=pipe
