/** How far a reader has come on one board: after this entry. */
export interface FeedPosition {
  readonly board_id: string
  readonly created_at: string
  readonly id: string
}

/** The list that a cursor belongs to. Of one board it is the list of the activity feed. */
export const deriveList = (brand_id: number, places: readonly { board_id: string }[]): string =>
  `activity:${brand_id}:${places.map(({ board_id }) => board_id).join(',')}`

/** What a cursor holds: a place for each board, in the order of the boards. */
export const derivePosition = (places: readonly FeedPosition[]): string =>
  places.map(({ created_at, id }) => `${created_at}|${id}`).join(';')

export function nextPlaces(
  places: readonly FeedPosition[],
  { board_id, created_at, id }: FeedPosition,
): FeedPosition[] {
  return places.map((place) => (place.board_id === board_id ? { board_id, created_at, id } : place))
}

/** Back from `derivePosition`; the boards are those the list is named after. */
export const derivePlaces = (boardIds: readonly string[], position: string): FeedPosition[] => {
  const parts = position.split(';')
  return boardIds.map((board_id, at) => {
    const [created_at = '', id = ''] = parts[at]?.split('|') ?? []
    return { board_id, created_at, id }
  })
}
