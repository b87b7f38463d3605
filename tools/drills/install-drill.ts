import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { attempt, run } from '@crewhall/services/commands.ts'
import { ensurePackages, isRoot } from '@crewhall/services/debian-packages.ts'
import { ensureCompose } from '@crewhall/services/docker-compose.ts'
import { ensureHostRoot, hostPackages } from '@crewhall/testkit/hosts/host-root.ts'
import { startHost, type TestHost } from '@crewhall/testkit/hosts/test-host.ts'
import { json, signUp } from '@crewhall/testkit/people.ts'
import { selfSigned } from '@crewhall/testkit/self-signed.ts'
import { openStorage } from '../image/container-storage.ts'
import { composeFile } from './compose/installation.ts'
import { host as publicName, through } from './compose/through-proxy.ts'
import { obstacleToContainers } from './container-tools.ts'
import type { Drill } from './drill.ts'
import { expectThat } from './expect-that.ts'
import { ensurePartImages } from './part-images.ts'
import { podmanOverride, podmanSettings } from './podman-settings.ts'
import { buildProductImages } from './product-images.ts'

const root = resolve(import.meta.dirname, '../..')
const limitSeconds = 300
/** Of Debian 12, for a daemon that Compose can speak to. */
const packages =
  'podman crun containernetworking-plugins golang-github-containernetworking-plugin-dnsname dnsmasq-base catatonit iptables'

/** From a machine with nothing of ours to a board over TLS, with three commands. */
export const installDrill: Drill = {
  name: 'install',
  async obstacle() {
    if (isRoot) await ensurePackages([...hostPackages], join(root, '.reports/host-packages.log'))
    if ((await attempt('systemd-nspawn', ['--version'])).code !== 0) return 'systemd-nspawn is not installed'
    return obstacleToContainers()
  },
  async run(check) {
    const storage = openStorage()
    await check('images are there as if they had been pulled', async () => {
      const made = await ensurePartImages(storage, composeFile)
      return [true, `${await buildProductImages(storage)}; made of packages: ${made.join(', ')}`]
    })
    await ensureHostRoot()
    const work = mkdtempSync(join(storage.folder, 'host-'))
    const files = join(work, 'files')
    const containers = join(work, 'containers')
    for (const folder of [files, containers]) mkdirSync(folder)
    const binds = [
      `${storage.folder}/graph:/srv/images`,
      `${containers}:/var/lib/containers`,
      `${files}:/srv/files`,
    ]
    const machine = await startHost({ binds })
    try {
      const compose = await ensureCompose()
      const { cert, key } = selfSigned(publicName)
      await check('packages are fetched to an empty host', async () => {
        await prepare(machine, { files, compose, cert, key })
        return [true, 'podman, crun and Compose']
      })
      await check('three commands to a signed-in board over TLS within 5 minutes', async () => {
        const began = performance.now()
        const seconds = () => (performance.now() - began) / 1000
        const compose = `docker-compose --env-file /etc/crewhall/.env -f /opt/crewhall/compose.yaml`
        await machine.must('tar -xf /srv/files/crewhall.tar -C /opt')
        await machine.must('/opt/crewhall/install --answers /srv/files/answers --to /etc/crewhall')
        // Not of the three: a certificate that no authority will give to a name of tests.
        await machine.must('cp /srv/files/cert.pem /srv/files/key.pem /etc/crewhall/certificates/')
        await machine.must(
          `DOCKER_HOST=unix:///run/podman/podman.sock ${compose} -f /srv/files/override.yaml up --detach --wait --wait-timeout 600`,
        )
        const up = seconds()
        const get = through(443, cert, 60_000, machine.address)
        const { cookie } = await signUp(get)
        const made = await get('/api/v1/board/boards', json({ name: 'Launch', key: 'LA' }, { cookie }))
        expectThat(made.status === 201, `the board was answered ${made.status}: ${await made.text()}`)
        expectThat(seconds() <= limitSeconds, `it took ${seconds().toFixed(0)} s`)
        return [true, `${seconds().toFixed(0)} s, of which ${up.toFixed(0)} s until all parts were healthy`]
      })
    } finally {
      await machine.run('podman kill --all; podman rm --all --force')
      await machine.remove()
      rmSync(work, { recursive: true, force: true })
    }
  },
}

interface Delivered {
  readonly files: string
  readonly compose: string
  readonly cert: string
  readonly key: string
}

async function prepare(machine: TestHost, { files, compose, cert, key }: Delivered): Promise<void> {
  await run('tar', [
    '-cf',
    join(files, 'crewhall.tar'),
    '-C',
    join(root, 'deploy'),
    '--transform',
    's/^production/crewhall/',
    'production',
  ])
  await run('cp', [compose, join(files, 'docker-compose')])
  writeFileSync(join(files, 'cert.pem'), cert)
  writeFileSync(join(files, 'key.pem'), key)
  writeFileSync(
    join(files, 'answers'),
    `public_url=https://${publicName}\noperator_email=ann@example.test\ncertificates=given\n`,
  )
  const env = { PUBLIC_URL: `https://${publicName}`, MAIL_DOMAIN: publicName, MAIL_FROM: 'a@example.test' }
  writeFileSync(join(files, 'override.yaml'), await podmanOverride(compose, ['-f', composeFile], env))
  writeFileSync(join(files, 'containers.conf'), podmanSettings('/etc/cni/net.d/'))
  writeFileSync(
    join(files, 'storage.conf'),
    `[storage]
driver = "overlay"
runroot = "/run/containers/storage"
graphroot = "/var/lib/containers/storage"
[storage.options]
additionalimagestores = ["/srv/images"]
`,
  )
  await machine.must(
    `apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends ${packages}`,
  )
  await machine.must(
    'install -D -m 644 -t /etc/containers /srv/files/containers.conf /srv/files/storage.conf && install -m 755 /srv/files/docker-compose /usr/local/bin/ && systemctl restart podman.socket',
  )
}
