import type { RouteEntry } from './route-entry.ts'

const card = ['ref', 'title', 'status', 'column', 'assignee']
const bySummary = { detail: 'summary' } as const
const task = ['task_id'] as const

/** Groups of commands, in the order of the help. */
export const groups: Readonly<Record<string, string>> = {
  auth: 'Sign in, and see who you are',
  token: 'Tokens for programs',
  board: 'Boards and their columns',
  card: 'Cards: the pieces of work on a board',
}

/** Every command that stands for one route. */
export const entries: readonly RouteEntry[] = [
  {
    words: 'board list',
    route: 'boards.listBoards',
    columns: ['key', 'name', 'card_count', 'updated_at', 'id'],
  },
  { words: 'board show', route: 'boards.getBoard', takes: ['board_id?'] },
  { words: 'board create', route: 'boards.createBoard', takes: ['key', 'name'] },
  { words: 'board edit', route: 'boards.changeBoard', takes: ['board_id?'] },
  { words: 'board archive', route: 'boards.archiveBoard', takes: ['board_id'], destroys: true },
  { words: 'board restore', route: 'boards.restoreBoard', takes: ['board_id'] },
  { words: 'board stats', route: 'boards.getBoardStats', takes: ['board_id?'] },
  {
    words: 'board activity',
    route: 'boards.listActivity',
    takes: ['board_id?'],
    columns: ['created_at', 'actor', 'action', 'ref', 'title'],
  },
  { words: 'board export', route: 'boards.exportBoard', takes: ['board_id?'] },
  { words: 'card list', route: 'boards.listCards', columns: card, fixed: bySummary },
  {
    words: 'card search',
    route: 'boards.searchCards',
    takes: ['q?'],
    columns: ['ref', 'title', 'status', 'board', 'assignee'],
  },
  { words: 'card ready', route: 'boards.listReadyCards', columns: card },
  { words: 'card show', route: 'boards.getCard', takes: task },
  { words: 'card create', route: 'boards.createCard', takes: ['title'], fixed: { return: 'receipt' } },
  { words: 'card edit', route: 'boards.changeCard', takes: task, fixed: { return: 'receipt' } },
  { words: 'card move', route: 'boards.moveCard', takes: ['task_id', 'column'] },
  { words: 'card comment', route: 'boards.addComment', takes: ['task_id', 'body?'] },
  {
    words: 'card comments',
    route: 'boards.listComments',
    takes: task,
    columns: ['created_at', 'author', 'body'],
  },
  { words: 'card relate', route: 'boards.addRelation', takes: ['task_id', 'kind', 'other_id'] },
  {
    words: 'card unrelate',
    route: 'boards.removeRelation',
    takes: ['task_id', 'kind', 'other_id'],
    destroys: false,
  },
  {
    words: 'card relations',
    route: 'boards.listRelations',
    takes: task,
    columns: ['kind', 'task.ref', 'task.title', 'task.status'],
  },
  { words: 'card archive', route: 'boards.archiveCard', takes: task, destroys: true },
  { words: 'card restore', route: 'boards.restoreCard', takes: task },
  {
    words: 'card runs',
    route: 'boards.listRuns',
    takes: task,
    columns: ['number', 'status', 'started_by', 'started_at', 'summary'],
  },
]
