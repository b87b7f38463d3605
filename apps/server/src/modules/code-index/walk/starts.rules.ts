/** A place that a text may mean. */
export interface Place {
  /** Of the text in the list that was asked for. */
  readonly at: number
  /** The lowest one that exists is meant. */
  readonly rank: number
  readonly path: string
  readonly symbol: string
  readonly is_folder: boolean
}

/**
 * `<path>`, `<path>#<Symbol.name>` or `<folder>/`. A `#` may belong to the path, and to a name as well (`Store.#find`), so
 * the whole text is tried first and then each way to part it.
 */
export function placesOf(text: string, at: number): Place[] {
  if (text.endsWith('/')) return [{ at, rank: 0, path: text.slice(0, -1), symbol: '', is_folder: true }]
  const places = [{ at, rank: 0, path: text, symbol: '', is_folder: false }]
  for (let mark = text.indexOf('#'); mark > 0 && places.length < 4; mark = text.indexOf('#', mark + 1)) {
    const symbol = text.slice(mark + 1)
    if (symbol === '') break
    places.push({ at, rank: places.length, path: text.slice(0, mark), symbol, is_folder: false })
  }
  return places
}
