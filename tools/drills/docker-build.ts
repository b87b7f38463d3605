import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '@crewhall/services/commands.ts'
import { ensureUnpacked } from '@crewhall/services/unpacked-package.ts'
import { lastCommit, unpackCommit } from '../image/build-image.ts'
import type { ContainerStorage } from '../image/container-storage.ts'
import type { DockerService } from './docker-service.ts'
import { ensureNodeBase, nodeBase, npmSettings } from './node-base.ts'
import { productImages } from './product-images.ts'

/** Debian 13 packages the plugin by which Docker builds with BuildKit. */
const ensureBuildx = (): Promise<string> =>
  ensureUnpacked({
    name: 'docker-buildx',
    release: 'trixie',
    programs: ['usr/libexec/docker/cli-plugins/docker-buildx', 'usr/lib/docker/cli-plugins/docker-buildx'],
  })

/** By the commands of docs/images.md, from the last commit. */
export async function buildWithDocker(storage: ContainerStorage, docker: DockerService): Promise<void> {
  await ensureNodeBase(storage)
  await docker.load([nodeBase])
  const context = mkdtempSync(join(storage.folder, 'context-'))
  try {
    const plugins = join(context, 'docker/cli-plugins')
    mkdirSync(plugins, { recursive: true })
    copyFileSync(await ensureBuildx(), join(plugins, 'docker-buildx'))
    chmodSync(join(plugins, 'docker-buildx'), 0o755)
    const { sources, values } = await unpackCommit(context, await lastCommit())
    const secret = join(context, 'npmrc')
    const { npmrc } = await npmSettings()
    writeFileSync(secret, npmrc.replace(/^cache=.*\n/m, ''), { mode: 0o600 })
    const given = Object.entries(values).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`])
    // The names of packages are resolved as on this machine.
    const options = ['--network', 'host', '--secret', `id=npmrc,src=${secret}`, ...given]
    for (const [target, name] of Object.entries(productImages))
      await run('docker', ['build', ...options, '--target', target, '--tag', name, sources], {
        env: { ...docker.env, DOCKER_BUILDKIT: '1', DOCKER_CONFIG: join(context, 'docker') },
      })
  } finally {
    rmSync(context, { recursive: true, force: true })
  }
}
