import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type DebianRoot, ensureDebianRoot, folderOf } from '@crewhall/services/debian-root.ts'

/** What this machine needs to make hosts, and to be a hub. */
export const hostPackages = [
  'iproute2',
  'iputils-ping',
  'mmdebstrap',
  'nftables',
  'systemd-container',
  'wireguard-go',
  'wireguard-tools',
]

/** Somebody on a host who may do nothing that needs root. */
export const plainUser = 'person'

/** A Debian as one rents it: systemd, curl, sudo, and nothing of ours. Its name changes with what is in it. */
const debian: DebianRoot = {
  name: 'host-bookworm-2',
  suite: 'bookworm',
  packages: [
    'ca-certificates',
    'cron',
    'curl',
    'dbus',
    'init',
    'iproute2',
    'iputils-ping',
    // The Node of the sidecar needs it.
    'libatomic1',
    'nftables',
    'procps',
    'sudo',
    'systemd',
    'systemd-sysv',
    'wireguard-go',
    'wireguard-tools',
  ],
  options: [
    `--customize-hook=chroot "$1" useradd --create-home --shell /bin/bash ${plainUser}`,
    // Each host gets ids of its own when it boots for the first time.
    '--customize-hook=: > "$1/etc/machine-id"; rm -f "$1/etc/resolv.conf" "$1/etc/hostname"',
  ],
  isWhole: (folder) =>
    existsSync(join(folder, 'usr/lib/systemd/systemd')) || existsSync(join(folder, 'lib/systemd/systemd')),
}

/** The architecture of this machine, or one that is emulated. */
export type HostArch = 'own' | 'arm64'

const rootFor = (arch: HostArch): DebianRoot =>
  arch === 'own'
    ? debian
    : {
        ...debian,
        name: `${debian.name}-${arch}`,
        options: [`--architectures=${arch}`, ...(debian.options ?? [])],
      }

export const hostRootFor = (arch: HostArch): string => folderOf(rootFor(arch))
export const ensureHostRoot = (arch: HostArch = 'own'): Promise<void> => ensureDebianRoot(rootFor(arch))
