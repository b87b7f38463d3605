#!/bin/bash
# Stands in for the S3 gateway: Ceph with one monitor, one storage daemon and radosgw. It takes the keys as versitygw does; the
# bucket `health` is what makes /health return 200. Its store is in memory, because the filter of system calls refuses what the
# one on disk needs: a restart begins with nothing. Its threads have to fit into the limit of the compose file.
set -eu
home=/data/.ceph port=7070 bucket=crewhall
config="$home/ceph.conf"
rm -rf "$home"
mkdir -p "$home"/{mon,osd,run,log,rgw}
fsid=$(cat /proc/sys/kernel/random/uuid)
cat >"$config" <<CONFIG
[global]
fsid = $fsid
mon_host = [v2:127.0.0.1:3300]
mon_initial_members = a
public_network = 127.0.0.0/8
ms_bind_msgr1 = false
keyring = $home/keyring
auth_allow_insecure_global_id_reclaim = false
run_dir = $home/run
admin_socket = /tmp/\$name.asok
pid_file = /tmp/\$name.pid
log_file = $home/log/\$name.log
mon_cluster_log_file = $home/log/cluster.log
mon_data = $home/mon
osd_data = $home/osd
osd_objectstore = memstore
memstore_device_bytes = 1073741824
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 4
osd_pool_default_pgp_num = 4
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 2000
mon_osd_min_down_reporters = 1
paxos_propose_interval = 0.05
paxos_min_wait = 0.01
rgw_frontends = beast port=$port
rgw_data = $home/rgw
rgw_dns_name = s3
rgw_enable_apis = s3
rgw_enable_usage_log = false
rgw_run_sync_thread = false
rgw_thread_pool_size = 64
CONFIG
ceph-authtool "$home/keyring" --create-keyring --gen-key --name mon. --cap mon 'allow *'
ceph-authtool "$home/keyring" --gen-key --name client.admin --cap mon 'allow *' --cap osd 'allow *'
ceph-authtool "$home/keyring" --gen-key --name osd.0 --cap mon 'allow profile osd' --cap osd 'allow *'
ceph-authtool "$home/keyring" --gen-key --name client.rgw --cap mon 'allow rwx' --cap osd 'allow rwx'
monmaptool --create --fsid "$fsid" --addv a '[v2:127.0.0.1:3300]' "$home/monmap"
ceph-mon -c "$config" --mkfs -i a --monmap "$home/monmap" --keyring "$home/keyring"
ceph-mon -c "$config" -i a
uuid=$(cat /proc/sys/kernel/random/uuid)
ceph -c "$config" --connect-timeout 60 osd new "$uuid"
ceph-osd -c "$config" -i 0 --mkfs --osd-uuid "$uuid"
ceph-osd -c "$config" -i 0
radosgw-admin -c "$config" user create --uid crewhall --display-name crewhall \
  --access-key "$ROOT_ACCESS_KEY" --secret "$ROOT_SECRET_KEY" >/dev/null
{
  put() {
    curl --silent --fail --output /dev/null --aws-sigv4 'aws:amz:us-east-1:s3' --user "$ROOT_ACCESS_KEY:$ROOT_SECRET_KEY" \
      --request PUT "http://127.0.0.1:$port/$1" "${@:2}"
  }
  until put "$bucket"; do sleep 0.5; done
  put health --header 'x-amz-acl: public-read'
} &
exec radosgw -c "$config" -n client.rgw -f
