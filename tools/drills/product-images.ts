import { type BuiltImage, buildImage, inspectImage, lastCommit } from '../image/build-image.ts'
import type { ContainerStorage } from '../image/container-storage.ts'
import { ensureNodeBase, npmSettings } from './node-base.ts'

export const productImages = {
  server: 'localhost/crewhall',
  worker: 'localhost/crewhall-worker',
  hub: 'localhost/crewhall-hub',
}

/** The images that the compose file names as ours, of the last commit, unless they are there. Returns their sizes in words. */
export async function buildProductImages(storage: ContainerStorage): Promise<string> {
  const how = {
    storage,
    commit: await lastCommit(),
    node_digest: await ensureNodeBase(storage),
    ...(await npmSettings()),
  }
  const sizes = []
  for (const [target, name] of Object.entries(productImages)) {
    const found = await inspectImage(storage, name).catch(() => undefined)
    const { bytes } = isOf(found, how.commit) ? found : await buildImage({ ...how, target, name })
    sizes.push(`${target} ${(bytes / 1e6).toFixed(0)} MB`)
  }
  return sizes.join(', ')
}

const isOf = (image: BuiltImage | undefined, commit: string): image is BuiltImage =>
  image?.labels['org.opencontainers.image.revision'] === commit
