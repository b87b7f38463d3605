import { preparing } from '@crewhall/services/preparation.ts'
import { type ContainerStorage, openStorage } from '../image/container-storage.ts'
import { checkConformance } from './compose/conformance-check.ts'
import { checkHub } from './compose/hub-check.ts'
import { composeFile, Installation } from './compose/installation.ts'
import { checkLimits } from './compose/limit-checks.ts'
import { breakParts } from './compose/part-faults.ts'
import { makePostgresDisk, type PostgresDisk } from './compose/postgres-disk.ts'
import { checkRolling } from './compose/roll-check.ts'
import { useIt } from './compose/use-checks.ts'
import { obstacleToDocker } from './container-tools.ts'
import { buildWithDocker } from './docker-build.ts'
import { type DockerService, startDocker } from './docker-service.ts'
import type { Drill, DrillCheck, DrillSize } from './drill.ts'
import { expectThat } from './expect-that.ts'
import { ensurePartImages, fullName } from './part-images.ts'
import { buildProductImages, productImages } from './product-images.ts'

/** The compose file of production, really brought up: built images, parts under their public names, TLS at the proxy. */
export const composeDrill: Drill = {
  name: 'compose',
  obstacle: obstacleToDocker,
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
    // Before Docker, which has mounts of its own.
    const disk = await makePostgresDisk(storage)
    const docker = await startDocker(storage)
    try {
      await check('Docker takes the images', async () => {
        await preparing(() => docker.load(made.map(fullName)))
        await docker.load(Object.values(productImages))
        const version = (await docker.docker('version', '--format', '{{.Server.Version}}')).trim()
        return [true, `Docker ${version}`]
      })
      if (size === 'full')
        await check('Docker builds them from the same file', async () => {
          await buildWithDocker(storage, docker)
          return [true, Object.keys(productImages).join(', ')]
        })
      await bringUp({ storage, docker, disk }, check, size)
    } finally {
      await docker.close()
      await disk.remove()
    }
  },
}

interface Place {
  readonly storage: ContainerStorage
  readonly docker: DockerService
  readonly disk: PostgresDisk
}

async function bringUp({ storage, docker, disk }: Place, check: DrillCheck, size: DrillSize): Promise<void> {
  const installation = await Installation.open(storage, docker)
  await check('install writes settings and secrets', async () => {
    const said = await installation.install(disk.folder)
    return [true, said.split('\n')[1]?.split(',')[0] ?? '']
  })
  try {
    const isUp = await check('compose brings up all of it, each part healthy', async () => {
      const began = performance.now()
      await installation.up()
      const seconds = ((performance.now() - began) / 1000).toFixed(0)
      const count = (await docker.docker('ps', '--quiet')).trim().split('\n').length
      return [true, `${count} containers in ${seconds} s`]
    })
    if (isUp) {
      await useIt(installation, check)
      await checkLimits(installation, check)
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
