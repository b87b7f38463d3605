import { join } from 'node:path'
import { cacheDir } from '@crewhall/services/cache-dir.ts'
import { ensurePackages, isRoot } from '@crewhall/services/debian-packages.ts'
import { findObstacle } from '../image/container-storage.ts'

/** Of Debian 12: what builds and runs images without a daemon, and what Compose can speak to. */
const packages = [
  'buildah',
  'catatonit',
  'containernetworking-plugins',
  'crun',
  'dnsmasq-base',
  'golang-github-containernetworking-plugin-dnsname',
  'mmdebstrap',
  'nftables',
  'podman',
]

/** Why no container can run with Docker once it is installed, or nothing. */
export async function obstacleToDocker(): Promise<string | undefined> {
  const obstacle = await obstacleToContainers()
  if (obstacle === undefined) await ensurePackages(['docker.io'], join(cacheDir, 'container-packages.log'))
  return obstacle
}

/** Why no container can run here once they are installed, or nothing. */
export async function obstacleToContainers(): Promise<string | undefined> {
  if (isRoot) await ensurePackages(packages, join(cacheDir, 'container-packages.log'))
  return findObstacle()
}
