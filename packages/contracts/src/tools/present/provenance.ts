export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const cardSources = new Set(['member', 'guest', 'agent', 'import'])
const foreignSources = new Set(['guest', 'import'])

/**
 * Where the title, the description and the labels of a card come from, if that is outside. A card that does not say it may hold
 * anything: the fence says `unverified`.
 */
export function provenanceOfCard(card: Fields): string | undefined {
  const { source } = card
  if (typeof source !== 'string' || !cardSources.has(source)) return 'unverified'
  return foreignSources.has(source) ? source : undefined
}

export const provenanceOfActor = (actor: unknown): string | undefined =>
  isFields(actor) && actor.kind === 'guest' ? 'guest' : undefined

const writers = ['author', 'actor', 'by', 'created_by', 'started_by'] as const

/** Of any object: by its source where it has one, and else by whoever wrote it. */
export function provenanceOf(fields: Fields): string | undefined {
  if (typeof fields.source === 'string' && cardSources.has(fields.source)) return provenanceOfCard(fields)
  if (typeof fields.ref === 'string' && typeof fields.title === 'string') return provenanceOfCard(fields)
  return writers.map((name) => provenanceOfActor(fields[name])).find((found) => found !== undefined)
}
