import { join } from 'node:path'
import type { S3Facts } from './facts.ts'

export const cephConfigFile = (facts: S3Facts): string => join(facts.dir, 'ceph.conf')

/**
 * One monitor, one storage daemon and the S3 gateway. The store is BlueStore in a sparse file, because
 * Ceph's memory store forgets everything when it is killed, which is exactly what fault tests do.
 */
export const cephConfig = (facts: S3Facts, fsid: string): string => `[global]
fsid = ${fsid}
mon_host = [v2:${facts.host}:${facts.monitor_port}]
mon_initial_members = a
public_network = 127.0.0.0/8
ms_bind_msgr1 = false
ms_bind_port_min = ${facts.osd_ports[0]}
ms_bind_port_max = ${facts.osd_ports[1]}
keyring = ${facts.dir}/keyring
auth_allow_insecure_global_id_reclaim = false
run_dir = ${facts.dir}/run
admin_socket = ${facts.dir}/run/$name.asok
pid_file = ${facts.dir}/run/$name.pid
log_file = ${facts.dir}/log/$name.log
mon_cluster_log_file = ${facts.dir}/log/cluster.log
mon_data = ${facts.dir}/mon
osd_data = ${facts.dir}/osd
osd_objectstore = bluestore
bluestore_block_size = 17179869184
bluestore_cache_autotune = false
bluestore_cache_size = 134217728
# One copy on one daemon: nothing to replicate, nothing to wait for.
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 4
osd_pool_default_pgp_num = 4
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 2000
mon_osd_min_down_reporters = 1
# Every new pool is a decision of the monitor; by default it gathers decisions for a second.
paxos_propose_interval = 0.05
paxos_min_wait = 0.01
# Small answers leave at once and do not wait until the one before is acknowledged.
rgw_frontends = beast endpoint=${facts.host}:${facts.port} tcp_nodelay=1
rgw_data = ${facts.dir}/rgw
rgw_dns_name = localhost
rgw_enable_apis = s3
rgw_gc_obj_min_wait = 60
rgw_enable_usage_log = false
rgw_run_sync_thread = false
`
