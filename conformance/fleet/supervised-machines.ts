import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SidecarPlace, SidecarProcess, Sidecars } from '@crewhall/testkit/sidecar-process.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { SignedBundles } from './signed-bundles.ts'
import type { ShownUpdate, UpdatedMachines } from './updated-machines.ts'

export const limitMs = 60_000

interface Parts {
  readonly server_url: string
  readonly bundles: SignedBundles
  readonly sidecars: Sidecars
  readonly machines: UpdatedMachines
}

/** Machines whose sidecars run under a supervisor and take updates. */
export class SupervisedMachines {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** One with a supervisor that was never started, and an update that waits for it. */
  async requested(times: object = {}): Promise<{ id: string; place: SidecarPlace }> {
    const { server_url, bundles, sidecars, machines } = this.#parts
    const { workstation_id: id, pat } = await machines.at.ordered()
    await machines.request(id)
    const place = await sidecars.place({ server_url, env_id: id, pat })
    const settings = JSON.parse(await readFile(place.settings_file, 'utf8'))
    const updates = {
      directory: join(place.folder, 'install'),
      root_key: bundles.root_key,
      probation_s: 1,
      trial_s: 60,
      ...times,
    }
    await writeFile(place.settings_file, JSON.stringify({ ...settings, updates }))
    return { id, place }
  }

  supervise(place: SidecarPlace): SidecarProcess {
    return this.#parts.sidecars.run(place, ['supervise'])
  }

  build(place: SidecarPlace, script: string): SidecarProcess {
    return this.#parts.sidecars.run(place, ['build', 'sh', '-c', script])
  }

  /** Waits until the last update is in this state; any other end is an error. */
  until(id: string, state: string): Promise<ShownUpdate> {
    return waitFor(async () => {
      const update = await this.#parts.machines.update(id)
      if (update.state !== state && ['done', 'failed'].includes(update.state))
        throw new Error(`the update ended as ${update.state}: ${update.error}`)
      return update.state === state && update
    }, limitMs)
  }
}

/** What the sidecar at this place says of itself. */
export async function running(place: SidecarPlace): Promise<{ version: string; digest: string }> {
  const nonce = randomBytes(32).toString('base64url')
  const response = await fetch(`${place.url}/v1/health?nonce=${nonce}`)
  return (await response.json()) as { version: string; digest: string }
}
