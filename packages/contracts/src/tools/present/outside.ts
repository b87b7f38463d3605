import type { Piece } from '../pieces.ts'
import type { Presenter } from '../tool.ts'
import { presentAny } from './any.ts'
import { isFields } from './provenance.ts'

/** Everything in the response comes from there, but for the product's own words. */
export const presentFrom =
  (provenance: string): Presenter =>
  (body, call) =>
    presentAny(body, call, { provenance })

/** An export does not say who wrote which line of it. */
export const presentExport: Presenter = (body): readonly Piece[] =>
  typeof body === 'string' ? [{ text: body, provenance: 'unverified' }] : presentAny(body)

/** Guests name themselves. */
export const presentGuests: Presenter = (body, call) =>
  isFields(body) && Array.isArray(body.guests)
    ? presentAny(body, call, { provenance: 'guest' })
    : presentAny(body, call)
