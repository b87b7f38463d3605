import { groupEntries } from './group-entries.ts'
import type { RouteEntry } from './route-entry.ts'
import { workEntries } from './work-entries.ts'

const card = ['ref', 'title', 'status', 'column', 'assignee']
const bySummary = { detail: 'summary' } as const
const task = ['task_id'] as const

/** Groups of commands, in the order of the help. */
export const groups: Readonly<Record<string, string>> = {
  auth: 'Sign in, and see who you are',
  alias: 'Short names for commands',
  token: 'Tokens for programs',
  board: 'Boards and their columns',
  card: 'Cards: the pieces of work on a board',
  inbox: 'What waits for you',
  doc: 'Spaces and pages of documentation',
  memory: 'Memories of agents',
  lesson: 'Lessons about code',
  project: 'Projects and the index of their code',
  desk: 'Desks: machines of the workspace',
  hire: 'Employees of the catalog, and who works for you',
  agent: 'Agents of the workspace',
  profile: 'Build settings of coding tools',
  member: 'People of the workspace',
  guest: 'People from outside',
  webhook: 'Webhooks and their deliveries',
  audit: 'Who did what',
  feature: 'Switches of the workspace',
}

/** Every command that stands for one route. */
export const entries: readonly RouteEntry[] = [
  ...workEntries,
  {
    words: 'token list',
    route: 'identity.listTokens',
    columns: ['name', 'last_four', 'scopes', 'agent', 'expires_at', 'id'],
  },
  { words: 'token create', route: 'identity.createToken', takes: ['name'] },
  { words: 'token rotate', route: 'identity.rotateToken', takes: ['token_id'], destroys: true },
  { words: 'token revoke', route: 'identity.revokeToken', takes: ['token_id'] },
  {
    words: 'board list',
    route: 'boards.listBoards',
    columns: ['key', 'name', 'card_count', 'updated_at', 'id'],
    page: 'boards',
  },
  { words: 'board show', route: 'boards.getBoard', takes: ['board_id?'], page: 'board' },
  { words: 'board create', route: 'boards.createBoard', takes: ['key', 'name'] },
  { words: 'board edit', route: 'boards.changeBoard', takes: ['board_id?'] },
  { words: 'board archive', route: 'boards.archiveBoard', takes: ['board_id'], destroys: true },
  { words: 'board restore', route: 'boards.restoreBoard', takes: ['board_id'] },
  { words: 'board stats', route: 'boards.getBoardStats', takes: ['board_id?'], is_one: true, page: 'board' },
  {
    words: 'board activity',
    route: 'boards.listActivity',
    takes: ['board_id?'],
    columns: ['created_at', 'actor', 'action', 'ref', 'title'],
    page: 'board',
  },
  { words: 'board export', route: 'boards.exportBoard', takes: ['board_id?'] },
  { words: 'card list', route: 'boards.listCards', columns: card, fixed: bySummary, page: 'board' },
  {
    words: 'card search',
    route: 'boards.searchCards',
    takes: ['q?'],
    columns: ['ref', 'title', 'status', 'board', 'assignee'],
  },
  { words: 'card ready', route: 'boards.listReadyCards', columns: card },
  { words: 'card show', route: 'boards.getCard', takes: task, page: 'card' },
  { words: 'card create', route: 'boards.createCard', takes: ['title'], fixed: { return: 'receipt' } },
  { words: 'card edit', route: 'boards.changeCard', takes: task, fixed: { return: 'receipt' } },
  { words: 'card move', route: 'boards.moveCard', takes: ['task_id', 'column'] },
  { words: 'card comment', route: 'boards.addComment', takes: ['task_id', 'body?'] },
  {
    words: 'card comments',
    route: 'boards.listComments',
    takes: task,
    columns: ['created_at', 'author', 'body'],
    page: 'card',
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
    page: 'card',
  },
  { words: 'card archive', route: 'boards.archiveCard', takes: task, destroys: true },
  { words: 'card restore', route: 'boards.restoreCard', takes: task },
  {
    words: 'card runs',
    route: 'boards.listRuns',
    takes: task,
    columns: ['number', 'status', 'started_by', 'started_at', 'summary'],
    page: 'card',
  },
  ...groupEntries,
]
