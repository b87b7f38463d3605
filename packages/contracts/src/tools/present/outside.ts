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
export const presentExport: Presenter = (body): readonly Piece[] => {
  const { text, ...facts } = isFields(body) ? body : { text: body }
  const file = { text: typeof text === 'string' ? text : '', provenance: 'unverified' }
  return [...presentAny(facts, undefined, { isQuiet: true }), file]
}
