import type { Brand, Person, useGuests } from '../workspaces/guests/guests-world.ts'

export const shared = '/api/v1/board/shared'
export const boardMissing = { status: 404, body: { detail: 'Board not found' } }
export const cardMissing = { status: 404, body: { detail: 'Card not found' } }
export const nowhere = '00000000-0000-4000-8000-000000000000'

export interface Card {
  readonly id: string
  readonly [field: string]: unknown
}
export interface Cards {
  readonly items: readonly Card[]
  readonly total: number
}
export interface Boards {
  readonly boards: readonly { readonly id: string }[]
  readonly next_after: string | null
}

/** A card with something in every field that guests must not see. */
export const rich = {
  title: 'Open the door',
  description: 'Why it is shut',
  labels: ['door'],
  agent_context: { profile: 'secret.profile' },
  instructions: 'secret instructions',
  plan: 'secret plan',
  notes: 'secret notes',
  review: 'secret review',
  log: 'secret log',
  acceptance_criteria: '- [ ] it opens',
  result: 'It opens.',
  client_ref: 'secret-ref',
  branch: 'door',
}

/** What tests of shared boards do as members and as guests. */
export function useSharedBoards(world: ReturnType<typeof useGuests>) {
  /** A board with one card, and a guest of it with a session. */
  async function sharedBoard(role: string) {
    const brand = await world.newBrand()
    const board_id = await world.newBoard(brand)
    const guest = await world.newPerson('Gus Guest')
    await world.admitToBoard(brand, board_id, guest, role)
    const { body: card } = await asMember<Card>(brand, 'POST', `/boards/${board_id}/tasks`, rich)
    const session = await world.sessionOf(guest)
    const path = `${shared}/${board_id}`
    return { brand, board_id, guest, card, session, path, tasks: `${path}/tasks` }
  }
  const asMember = <Body>({ admin }: Brand, method: string, path: string, body?: unknown) =>
    world.call<Body>(admin, method, `/api/v1/board${path}`, body)
  const newestOf = async (brand: Brand, board_id: string) =>
    (await asMember<{ items: unknown[] }>(brand, 'GET', `/activity/boards/${board_id}?limit=1`)).body.items[0]
  const actorOf = ({ id }: Person) => ({
    kind: 'guest',
    id: String(id),
    name: 'Gus Guest',
    on_behalf_of: null,
  })
  return { sharedBoard, asMember, newestOf, actorOf }
}
