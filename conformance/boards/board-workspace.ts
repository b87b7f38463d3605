import { newFounder, Workspace, type WorldServer } from '@crewhall/testkit/world/workspace.ts'

export interface Column {
  id: string
  name: string
  status: string
  card_count: number
  cards_changing: number
}
export interface Board {
  id: string
  key: string
  name: string
  card_count: number
  columns: Column[]
}
export interface Card {
  id: string
  ref: string
  title: string
  status: string
  version: number
  column: { id: string; name: string }
  [field: string]: unknown
}
export interface Page {
  items: Card[]
  total: number
  page: number
  per_page: number
}
export interface Receipt {
  task_id: string
  changed: Record<string, { from: unknown; to: unknown }>
  from_column: string
  to_column: string
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** A workspace and what its admin does with boards. */
export class BoardWorkspace extends Workspace {
  override readonly root = '/api/v1/board'
  #keys = 0

  static async open(server: WorldServer): Promise<BoardWorkspace> {
    return new BoardWorkspace(await newFounder(server))
  }

  /** The same workspace, called with another token of it. */
  as(token: string): BoardWorkspace {
    return new BoardWorkspace({ server: this.server, owner: this.owner, token })
  }

  /** A board with a key of its own. */
  async board(more: object = {}): Promise<Board> {
    this.#keys += 1
    const key = `K${letters[Math.floor(this.#keys / 26) % 26]}${letters[this.#keys % 26]}`
    const { status, body } = await this.call<Board>('POST', '/boards', { name: `Board ${key}`, key, ...more })
    if (status !== 201) throw new Error(`the board was answered ${status}: ${JSON.stringify(body)}`)
    return body
  }

  async card(board: Board, more: object = {}): Promise<Card> {
    const path = `/boards/${board.id}/tasks`
    const { status, body } = await this.call<Card>('POST', path, { title: 'A card', ...more })
    if (status !== 201) throw new Error(`the card was answered ${status}: ${JSON.stringify(body)}`)
    return body
  }

  list = (board: Board, query = '') => this.call<Page>('GET', `/boards/${board.id}/tasks${query}`)
  patch = <T = Card>(card: Card, body: unknown, query = '') =>
    this.call<T>('PATCH', `/tasks/${card.id}${query}`, body)
  read = async (card: Card): Promise<Card> => (await this.call<Card>('GET', `/tasks/${card.id}`)).body
  move = (card: Card, body: object) => this.call<Receipt>('POST', `/tasks/${card.id}/move`, body)
}

export const columnOf = (board: Board, name: string): Column => {
  const column = board.columns.find((each) => each.name === name)
  if (!column) throw new Error(`the board has no column ${name}`)
  return column
}
