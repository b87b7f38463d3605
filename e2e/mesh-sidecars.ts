import type { TestNetwork } from '@crewhall/testkit/hosts/test-network.ts'
import { type SidecarPlace, useSidecars } from '@crewhall/testkit/sidecar-process.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { type Member, type MeshBed, newDevice } from './mesh-bed.ts'

/** What people see of a desk. */
interface Shown {
  readonly status: string
  readonly onboarding_steps: readonly { readonly reason: string | null; readonly hint: string | null }[]
}

/** A machine with the files of a sidecar, in a network of its own. */
export interface SidecarDesk {
  readonly id: string
  readonly network: TestNetwork
  readonly device: string
  readonly place: SidecarPlace
  show(): Promise<Shown>
  isReady(): Promise<unknown>
}

/** A desk is ready this long after its sidecar was started. */
export const readyMs = 20_000

/** Desks of a bed that run the sidecar as it is shipped. */
export function useMeshSidecars(bed: MeshBed) {
  const sidecars = useSidecars()
  return {
    run: sidecars.run,
    /** It has nothing but what an installer leaves: settings without an address, and the join secret. */
    async newDesk(member: Member, clock?: { env: { TEST_CLOCK_FILE: string } }): Promise<SidecarDesk> {
      const { workstation_id: id, pat } = await bed.order(member)
      const { network, server_url } = await bed.newPlace()
      const device = newDevice()
      const place = await sidecars.place({
        server_url,
        env_id: id,
        pat,
        namespace: network.id,
        settings: { health_address: undefined, mesh_device: device },
        ...(clock ? { clock } : {}),
      })
      const show = async () => (await (await bed.call(member, 'GET', `/workstations/${id}`)).json()) as Shown
      const isReady = () => waitFor(async () => (await show()).status === 'ready', readyMs)
      return { id, network, device, place, show, isReady }
    },
  }
}
