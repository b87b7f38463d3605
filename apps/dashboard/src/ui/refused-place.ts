import { type ComponentType, createContext } from 'react'

/** Where somebody may not look: who could let them, and where else to go. */
interface RefusedPlace {
  readonly Who?: ComponentType
  readonly back?: { readonly label: string; readonly to: string }
}

export const RefusedPlace = createContext<RefusedPlace>({})
