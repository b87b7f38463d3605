import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { attempt, run } from '@crewhall/services/commands.ts'
import { type DebianRoot, ensureDebianRoot, folderOf } from '@crewhall/services/debian-root.ts'
import { preparing } from '@crewhall/services/preparation.ts'
import type { ContainerStorage } from '../image/container-storage.ts'
import { ensureCaddy } from './proxy/caddy-program.ts'

const debian: DebianRoot = {
  name: 'parts-trixie-1',
  suite: 'trixie',
  packages: [
    'ca-certificates',
    'caddy',
    'ceph-common',
    'ceph-mon',
    'ceph-osd',
    'curl',
    'pgbouncer',
    'postfix',
    'postgresql-17',
    'postgresql-17-pgvector',
    'radosgw',
    'redis-server',
    'redis-tools',
    'wget',
  ],
  options: [
    '--setup-hook=mkdir -p "$1/etc/postgresql-common"',
    '--setup-hook=echo "create_main_cluster = false" > "$1/etc/postgresql-common/createcluster.conf"',
    '--essential-hook=echo "postfix postfix/main_mailer_type select No configuration" | chroot "$1" debconf-set-selections',
  ],
  isWhole: (folder) =>
    ['caddy', 'curl', 'radosgw', 'redis-server'].every((program) =>
      existsSync(join(folder, 'usr/bin', program)),
    ) && ['pgbouncer', 'postfix'].every((program) => existsSync(join(folder, 'usr/sbin', program))),
}

interface PartImage {
  /** How the public image starts with what this script of ours stands for, and where the script goes. */
  readonly script?: readonly [file: string, target: string]
  readonly entrypoint?: readonly string[]
  /** A program that Debian 13 has only in an older version: where it comes from, and where it goes. */
  readonly program?: readonly [from: () => Promise<string>, target: string]
  readonly prepare: string
}

/** What the compose file names, made of Debian's packages. Ids and folders are those of the public images. */
const parts: Readonly<Record<string, PartImage>> = {
  'docker.io/pgvector/pgvector': {
    script: ['pgvector.sh', '/usr/local/bin/docker-entrypoint.sh'],
    entrypoint: ['/usr/local/bin/docker-entrypoint.sh'],
    prepare: `sed -i 's/^postgres:x:[0-9]*:[0-9]*/postgres:x:999:999/' /etc/passwd
      sed -i -e 's/^\\([^:]*\\):x:999:/\\1:x:1999:/' -e 's/^postgres:x:[0-9]*/postgres:x:999/' /etc/group
      rm -rf /var/lib/postgresql && install -d -o 999 -g 999 -m 700 /var/lib/postgresql/data
      install -d -o 999 -g 999 -m 3777 /var/run/postgresql`,
  },
  'docker.io/edoburu/pgbouncer': { prepare: 'true' },
  'docker.io/library/redis': { prepare: 'install -d -o 999 -g 999 /data' },
  'docker.io/library/caddy': {
    program: [ensureCaddy, '/usr/bin/caddy'],
    prepare: 'install -d /data /config /srv',
  },
  'docker.io/versity/versitygw': {
    script: ['versitygw.sh', '/usr/local/bin/versitygw'],
    prepare: 'install -d /data',
  },
  'docker.io/boky/postfix': {
    script: ['postfix.sh', '/scripts/run.sh'],
    entrypoint: ['/scripts/run.sh'],
    // A copy of a folder belongs to root, and Postfix wants some of it otherwise.
    prepare: `touch /etc/postfix/main.cf; cp /usr/share/postfix/master.cf.dist /etc/postfix/master.cf
      chown postfix:postfix /var/lib/postfix; postfix set-permissions || true
      chgrp postdrop /usr/sbin/postqueue /usr/sbin/postdrop; chmod 2755 /usr/sbin/postqueue /usr/sbin/postdrop`,
  },
}

/**
 * Where no registry is at hand: images under the public names of the parts, made of Debian's packages. Returns what was made,
 * for the table: none of these is the image that an operator pulls.
 */
export async function ensurePartImages({ env }: ContainerStorage, composeFile: string): Promise<string[]> {
  const base = 'localhost/crewhall-parts:1'
  const wanted = [...readFileSync(composeFile, 'utf8').matchAll(/^ {4}image: ([a-z][^$\s]+)$/gm)].map(
    ([, name = '']) => name,
  )
  const made: string[] = []
  for (const name of new Set(wanted)) {
    const full = fullName(name)
    made.push(name)
    if ((await attempt('buildah', ['inspect', '--type', 'image', full], { env })).code === 0) continue
    await preparing(() => makePartImage(env, base, full))
  }
  return made
}

/** As buildah knows what a compose file names. */
export const fullName = (name: string): string =>
  name.includes('/') ? `docker.io/${name}` : `docker.io/library/${name}`

/** One image of the base. */
async function makePartImage(env: Record<string, string>, base: string, full: string): Promise<void> {
  const buildah = (...args: string[]) => run('buildah', args, { env })
  const part = parts[full.slice(0, full.lastIndexOf(':'))]
  if (!part) throw new Error(`there is nothing to make ${full} of`)
  await ensureBase(base, env)
  const container = lastLine(await buildah('from', '--pull-never', base))
  if (part.script)
    await buildah(
      'copy',
      '--quiet',
      '--chmod',
      '755',
      container,
      join(import.meta.dirname, 'part-images', part.script[0]),
      part.script[1],
    )
  if (part.program) {
    const [from, target] = part.program
    await buildah('copy', '--quiet', '--chmod', '755', container, await from(), target)
  }
  await buildah('run', container, '--', 'sh', '-euc', part.prepare)
  if (part.entrypoint) await buildah('config', '--entrypoint', JSON.stringify(part.entrypoint), container)
  await buildah('commit', '--rm', '--quiet', '--format', 'docker', container, full)
}

const lastLine = (said: string): string => said.trim().split('\n').at(-1) ?? ''

async function ensureBase(base: string, env: Record<string, string>): Promise<void> {
  if ((await attempt('buildah', ['inspect', '--type', 'image', base], { env })).code === 0) return
  await ensureDebianRoot(debian)
  const container = lastLine(await run('buildah', ['from', 'scratch'], { env }))
  await run('buildah', ['copy', '--quiet', container, folderOf(debian), '/'], { env })
  const path = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/lib/postgresql/17/bin'
  await run('buildah', ['config', '--env', path, container], { env })
  await run('buildah', ['commit', '--rm', '--quiet', '--format', 'docker', container, base], { env })
}
