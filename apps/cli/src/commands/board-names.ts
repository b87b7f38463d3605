import { listBoards } from '@crewhall/contracts/boards/boards.ts'
import type { Context } from '../context.ts'
import { Failure, failed } from '../failure.ts'
import { readList } from './paging.ts'

export interface NamedBoard {
  readonly id: string
  readonly key: string
  readonly name: string
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Every board that the caller sees. */
export async function readBoards(context: Context): Promise<readonly NamedBoard[]> {
  const { answer } = await readList(await context.caller(), listBoards, {}, 'items', {
    limit: 1000,
    all: true,
  })
  return (answer.body as { items: NamedBoard[] }).items
}

/** The id of a board that is named by its key, its name or its id. */
export async function boardId(context: Context, named: string): Promise<string> {
  if (uuid.test(named)) return named.toLowerCase()
  const boards = await readBoards(context)
  const found =
    boards.find(({ key }) => key === named.toUpperCase()) ??
    boards.find(({ name }) => name.toLowerCase() === named.toLowerCase())
  if (found) return found.id
  const keys = boards.slice(0, 20).map(({ key }) => key)
  throw new Failure('not_found', `there is no board ${named}`, {
    remedy: keys.length > 0 ? `boards are ${keys.join(', ')}` : 'crewhall board create makes one',
  })
}

/** The board of the flag, the environment, the folder or the profile. */
export async function chosenBoard(context: Context): Promise<string> {
  const { board } = await context.choice()
  if (board !== undefined) return boardId(context, board)
  throw failed('no board is named', 'name one with --board, or link this folder: crewhall link --board CORE')
}
