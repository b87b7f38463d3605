import type { Context } from '../context.ts'
import { failed } from '../failure.ts'
import { boardId, chosenBoard, readBoards } from './board-names.ts'
import { refOf } from './card-refs.ts'

/** Pages of the dashboard that a command can open. A test holds them against the dashboard's own list. */
export const pages = {
  home: '/',
  now: '/now',
  boards: '/boards',
  board: '/boards/$key',
  card: '/cards/$ref',
  inbox: '/inbox',
  settings: '/settings',
  features: '/settings/features',
  notifications: '/settings/notifications',
} as const

export type Page = keyof typeof pages

const cardForm = /^[a-z][a-z0-9]{1,9}-[1-9]\d{0,8}$/i

/** The page of a card, of a board, or one that is named; without a word, that of the chosen board or the first one. */
export async function pageOf(context: Context, said: string | undefined): Promise<string> {
  if (said === undefined) {
    const { board } = await context.choice()
    return board === undefined ? pages.home : pageNamed(context, 'board', undefined)
  }
  if (Object.hasOwn(pages, said) && !pages[said as Page].includes('$')) return pages[said as Page]
  if (cardForm.test(said)) return pageNamed(context, 'card', said)
  return pageNamed(context, 'board', said)
}

/** The page that a command shows on the terminal. */
export async function pageNamed(context: Context, page: Page, word: string | undefined): Promise<string> {
  if (page === 'card') {
    if (word === undefined) throw failed('no card is named')
    return filled(pages.card, await refOf(context, word))
  }
  return page === 'board' ? filled(pages.board, await boardKey(context, word)) : pages[page]
}

const filled = (path: string, value: string): string => path.replace(/\$\w+/, encodeURIComponent(value))

async function boardKey(context: Context, named: string | undefined): Promise<string> {
  const id = named === undefined ? await chosenBoard(context) : await boardId(context, named)
  const found = (await readBoards(context)).find((each) => each.id === id)
  if (!found) throw failed('the board is not among those you can see')
  return found.key
}
