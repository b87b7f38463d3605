import { newToken, type SignedUp, signUp } from '@crewhall/testkit/people.ts'
import type { SharedServer } from '@crewhall/testkit/shared-server.ts'

export interface Answer<T = Record<string, unknown>> {
  status: number
  headers: Headers
  text: string
  body: T
}

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

const root = '/api/v1/board'
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** One workspace and its admin, with a token that has no scope. */
export class Workspace {
  readonly #server: Pick<SharedServer, 'get'>
  readonly owner: SignedUp
  readonly token: string
  #keys = 0

  private constructor(server: Pick<SharedServer, 'get'>, owner: SignedUp, token: string) {
    this.#server = server
    this.owner = owner
    this.token = token
  }

  static async open(server: Pick<SharedServer, 'get'>): Promise<Workspace> {
    const get = (path: string, init?: RequestInit) => server.get(path, init)
    const owner = await signUp(get)
    const { token } = await newToken(get, owner, [])
    return new Workspace(server, owner, token)
  }

  /** The same workspace, called with another token of it. */
  as(token: string): Workspace {
    return new Workspace(this.#server, this.owner, token)
  }

  async call<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<T>> {
    const response = await this.#server.get(`${root}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson ? JSON.parse(text) : text) as T,
    }
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
