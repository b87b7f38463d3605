import { type ContainerStorage, openStorage } from '../image/container-storage.ts'
import { checkConformance } from './compose/conformance-check.ts'
import { dropped } from './compose/drill-override.ts'
import { checkHub } from './compose/hub-check.ts'
import { composeFile, Installation } from './compose/installation.ts'
import { breakParts } from './compose/part-faults.ts'
import { makePostgresDisk, type PostgresDisk } from './compose/postgres-disk.ts'
import { checkRolling } from './compose/roll-check.ts'
import { useIt } from './compose/use-checks.ts'
import { obstacleToContainers } from './container-tools.ts'
import type { Drill, DrillCheck, DrillSize } from './drill.ts'
import { expectThat } from './expect-that.ts'
import { ensurePartImages } from './part-images.ts'
import { type PodmanService, startPodman } from './podman-service.ts'
import { buildProductImages } from './product-images.ts'

/** The compose file of production, really brought up: built images, parts under their public names, TLS at the proxy. */
export const composeDrill: Drill = {
  name: 'compose',
  obstacle: obstacleToContainers,
  async run(check, size) {
    const storage = openStorage()
    // To look at one thing again and again: images as the last drill left them.
    if (process.env.DRILL_IMAGES !== 'kept')
      await check('images build from the last commit', async () => [true, await buildProductImages(storage)])
    const made = await check('parts are made of packages under their public names', async () => {
      const names = await ensurePartImages(storage, composeFile)
      return [names, names.join(', ')]
    })
    if (!made) return
    // Before podman, which has mounts of its own.
    const disk = await makePostgresDisk(storage)
    const podman = await startPodman(storage)
    try {
      await bringUp({ storage, podman, disk }, check, size)
    } finally {
      await podman.close()
      await disk.remove()
    }
  },
}

interface Place {
  readonly storage: ContainerStorage
  readonly podman: PodmanService
  readonly disk: PostgresDisk
}

async function bringUp({ storage, podman, disk }: Place, check: DrillCheck, size: DrillSize): Promise<void> {
  const installation = await Installation.open(storage, podman)
  await check('install writes settings and secrets', async () => {
    const said = await installation.install(disk.folder)
    return [true, said.split('\n')[1]?.split(',')[0] ?? '']
  })
  try {
    const isUp = await check('compose brings up all of it, each part healthy', async () => {
      const began = performance.now()
      await installation.up()
      const seconds = ((performance.now() - began) / 1000).toFixed(0)
      const count = (await podman.podman('ps', '--quiet')).trim().split('\n').length
      return [true, `${count} containers in ${seconds} s; ${dropped}`]
    })
    if (isUp) {
      await useIt(installation, check)
      await checkRolling(installation, check)
      await checkHub(installation, check)
      await breakParts(installation, disk.folder, check, size)
      await checkConformance(installation, check)
    }
  } finally {
    await check('compose takes it down', async () => {
      const { code, output } = await installation.down()
      expectThat(code === 0, output)
      return [true, '']
    })
  }
}
