import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { cacheDir } from '@crewhall/services/cache-dir.ts'
import { attempt } from '@crewhall/services/commands.ts'

/** Everything that buildah and podman keep, apart from what the machine has of its own. */
export interface ContainerStorage {
  readonly folder: string
  readonly env: Record<string, string>
}

export function openStorage(
  folder = process.env.CREWHALL_CONTAINERS ?? join(cacheDir, 'containers'),
): ContainerStorage {
  const home = resolve(folder)
  mkdirSync(join(home, 'tmp'), { recursive: true })
  const storage = join(home, 'storage.conf')
  const registries = join(home, 'registries.conf')
  writeFileSync(
    storage,
    `[storage]\ndriver = "overlay"\nrunroot = "${join(home, 'run')}"\ngraphroot = "${join(home, 'graph')}"\n`,
  )
  // None: what is not here is not fetched.
  writeFileSync(registries, 'unqualified-search-registries = []\n')
  const env = {
    CONTAINERS_STORAGE_CONF: storage,
    CONTAINERS_REGISTRIES_CONF: registries,
    BUILDAH_ISOLATION: 'chroot',
    TMPDIR: join(home, 'tmp'),
  }
  return { folder: home, env }
}

/** Why no image can be built here, or nothing. */
export async function findObstacle(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'images are built and run as root here'
  for (const program of ['buildah', 'podman', 'crun', 'mmdebstrap', 'git'])
    if ((await attempt(program, ['--version'])).code !== 0) return `${program} is not installed`
  return existsSync('/etc/containers/policy.json') ? undefined : 'there is no /etc/containers/policy.json'
}
