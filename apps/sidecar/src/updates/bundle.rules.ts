import type { SidecarBundle } from '@crewhall/contracts/fleet/desk-protocol.ts'
import { bundleBase, bundleKeyBase } from '@crewhall/contracts/fleet/signature.ts'
import { isOlder } from '@crewhall/contracts/fleet/version.ts'
import { isSignedBy } from '../signed-by.ts'

interface Trusted {
  /** Pinned when the sidecar was installed. */
  readonly root_key: string
  /** The oldest version that this desk still takes. */
  readonly floor: string | null
}

/** Why a bundle must not be installed, whoever asks for it. What it says of its file is true from here on. */
export function faultOfBundle(bundle: SidecarBundle, { root_key, floor }: Trusted): string | undefined {
  if (!isSignedBy(root_key, bundleKeyBase(bundle.key), bundle.key_signature))
    return 'The key of the bundle is not signed by the root key of this desk'
  if (!isSignedBy(bundle.key, bundleBase(bundle), bundle.signature))
    return 'The bundle is not signed by its key'
  if (floor !== null && isOlder(bundle.version, floor))
    return `Version ${bundle.version} is older than ${floor}, the oldest that this desk takes`
  return undefined
}

/** The floor rises and never falls. */
export const nextFloor = (known: string | null, { floor }: SidecarBundle): string =>
  known !== null && isOlder(floor, known) ? known : floor
