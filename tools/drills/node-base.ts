import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { attempt, run } from '@crewhall/services/commands.ts'
import { type DebianRoot, ensureDebianRoot, folderOf } from '@crewhall/services/debian-root.ts'
import { npmCacheInside } from '../image/build-image.ts'
import type { ContainerStorage } from '../image/container-storage.ts'

export const nodeBase = 'docker.io/library/node:26-slim'
const name = nodeBase

const debian: DebianRoot = {
  name: 'node-base-bookworm-1',
  suite: 'bookworm',
  packages: ['ca-certificates', 'libatomic1', 'libstdc++6'],
  options: ['--dpkgopt=path-include=/usr/share/doc/*/copyright'],
  isWhole: (folder) =>
    existsSync(join(folder, 'usr/bin/dpkg')) && existsSync(join(folder, 'etc/debian_version')),
}

/**
 * Where no registry is at hand: an image under the public name of the base, made of Debian, the Node of this project and npm.
 * Returns its digest, by which the Dockerfile names it as it would name the real one.
 */
export async function ensureNodeBase({ env }: ContainerStorage): Promise<string> {
  if ((await attempt('buildah', ['inspect', '--type', 'image', name], { env })).code !== 0) {
    await ensureDebianRoot(debian)
    const npm = dirname(dirname(realpathSync((await run('sh', ['-c', 'command -v npm'])).trim())))
    const said = await run('buildah', ['from', 'scratch'], { env })
    const container = said.trim().split('\n').at(-1) ?? ''
    const copy = (from: string, to: string) =>
      run('buildah', ['copy', '--quiet', container, from, to], { env })
    await copy(folderOf(debian), '/')
    await copy(realpathSync(process.execPath), '/usr/local/bin/node')
    await copy(npm, '/usr/local/lib/node_modules/npm')
    // An authority that this machine trusts may stand between it and the packages.
    await copy('/etc/ssl/certs/ca-certificates.crt', '/etc/ssl/certs/ca-certificates.crt')
    const link = 'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm'
    await run('buildah', ['run', container, '--', 'sh', '-c', link], { env })
    const commit = ['commit', '--rm', '--quiet', '--format', 'docker', '--timestamp', '0', container, name]
    await run('buildah', commit, { env })
  }
  const format = '{{.FromImageDigest}}'
  return (await run('buildah', ['inspect', '--type', 'image', '--format', format, name], { env })).trim()
}

/** What npm needs to know inside of a build: which registry this machine uses, whom it trusts, and what it has fetched before. */
export async function npmSettings(): Promise<{ npmrc: string; npm_cache: string }> {
  const get = async (key: string) => (await run('npm', ['config', 'get', key, '--loglevel=silent'])).trim()
  const npmrc = `registry=${await get('registry')}
cafile=/etc/ssl/certs/ca-certificates.crt
cache=${npmCacheInside}
prefer-offline=true
`
  const npm_cache = await get('cache')
  mkdirSync(npm_cache, { recursive: true })
  return { npmrc, npm_cache }
}
