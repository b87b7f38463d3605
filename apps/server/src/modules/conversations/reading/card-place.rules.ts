/** The last completed task that was read. */
export interface CardPlace {
  readonly completed_at: string
  readonly id: string
}

const form = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z) ([0-9a-f-]{36})$/

/** The position of a source as its row keeps it. */
export const positionOf = ({ completed_at, id }: CardPlace): string => `${completed_at} ${id}`

/** What nobody can read is the beginning: what was read already is recognised. */
export function placeOf(position: string): CardPlace | undefined {
  const [, completed_at, id] = form.exec(position) ?? []
  return completed_at === undefined || id === undefined ? undefined : { completed_at, id }
}
