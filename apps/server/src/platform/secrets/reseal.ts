import type { SecretBox } from '#platform/secrets/secret-box.ts'

interface Sealed {
  readonly place: string
  readonly value: Buffer | null
}
/** A table with sealed values, in an order that does not change. */
export interface SealedTable<Row> {
  /** Rows after this one, or the first of all. */
  list(after: Row | undefined, limit: number): Promise<readonly Row[]>
  sealedIn(row: Row): readonly Sealed[]
  /** Puts these in their places, unless the row has others by now; undefined where one stays. Returns how many it put. */
  update(row: Row, values: readonly (Buffer | undefined)[]): Promise<number>
}

export interface Resealed {
  readonly moved: number
  /** What no key of the ring opens. */
  readonly lost: number
}

const bite = 200

/** After a rotation of the installation's key: moves what lies under another key to the current one. */
export async function resealTable<Row>(
  box: Pick<SecretBox, 'open' | 'reseal' | 'has_other_keys'>,
  { list, sealedIn, update }: SealedTable<Row>,
): Promise<Resealed> {
  const told = { moved: 0, lost: 0 }
  if (!box.has_other_keys) return told
  let page = await list(undefined, bite)
  while (page.length > 0) {
    for (const row of page) {
      const sealed = sealedIn(row)
      told.lost += sealed.filter(({ place, value }) => value && box.open(place, value) === undefined).length
      const anew = sealed.map(({ place, value }) => (value ? box.reseal(place, value) : undefined))
      if (anew.some(Boolean)) told.moved += await update(row, anew)
    }
    page = page.length < bite ? [] : await list(page.at(-1), bite)
  }
  return told
}
