import { z } from 'zod'
import { refusal, refusalOf } from '../refusal.ts'
import { route } from '../route.ts'
import { paged, Timestamp, text, Uuid } from '../wire.ts'
import { boardFamily, inBoard } from './boards.ts'
import { priorities } from './card-fields.ts'
import * as refused from './refusals.ts'

export const mostImportBytes = 20 * 1024 * 1024
export const mostImportRows = 20_000
/** Different names in one file; more of them mean that a column is not what it is taken for. */
export const mostImportPeople = 500
export const mostImportStates = 100
/** That wait or run in a workspace. */
export const mostOpenImports = 10

export const importNotFound = refusal(404, 'Import not found')
export const importFileMissing = refusal(400, 'file: is required')
export const importFileTooLarge = refusal(413, 'File too large (max 20 MB)')
/** What is wrong with the file as a whole, with the row where it was noticed. */
export const importUnreadable = refusalOf(
  400,
  'The file cannot be imported',
  (fault: { readonly row: number; readonly problem: string }) => ({
    error: 'import_unreadable',
    message: `Row ${fault.row}: ${fault.problem}`,
    ...fault,
  }),
)
export const importBusy = refusal(409, 'Another import of this board is running')
export const importLimit = refusal(409, `A workspace has at most ${mostOpenImports} imports that wait or run`)
export const importStarted = refusal(409, 'This import was started before')
export const importNotMember = refusal(400, 'people: no such member of the workspace')
export const importNoColumn = refusal(400, 'states: the board has no such column')
export const importByAgent = refusal(403, 'Only a person may pass imported texts on to agents')

export const importSources = ['csv', 'github', 'linear'] as const
export const importStates = ['reading', 'draft', 'running', 'done', 'failed', 'undoing', 'undone'] as const

const ImportCard = z.object({
  /** Of the file; the header of CSV is row 1. */
  row: z.int(),
  title: z.string().max(500),
  /** Name of its column. */
  column: z.string().max(100),
  assignee: z.string().max(200).nullable(),
  labels: z.array(z.string().max(50)).max(20),
  priority: z.enum(priorities),
  estimate: z.number().nullable(),
  due_at: Timestamp.nullable(),
  /** Source key of its parent. */
  parent: z.string().max(200).nullable(),
  client_ref: z.string().max(200),
  /** Whether a card of the board has this `client_ref`, so that the row is skipped. */
  exists: z.boolean(),
})
export type ImportCard = z.infer<typeof ImportCard>

export const mostProblemText = 200
const Problem = z.object({ row: z.int(), problem: z.string().max(mostProblemText) })
export type ImportProblem = z.infer<typeof Problem>

export const Import = z
  .object({
    id: Uuid,
    board_id: Uuid,
    source: z.enum(importSources),
    file_name: z.string().max(200),
    /**
     * `draft` until it is started, `running`, then `done`, or `failed` if the board was archived meanwhile; `undoing` and
     * `undone` afterwards.
     */
    state: z.enum(importStates),
    /** Whose it is; null once that person was erased. */
    user_id: z.int().nullable(),
    /** Cards that the file holds, without rows that have a problem. */
    rows_total: z.int(),
    rows_done: z.int(),
    cards_made: z.int(),
    /** Rows whose card was on the board already. */
    rows_skipped: z.int(),
    /** Pull requests of a GitHub file. */
    rows_ignored: z.int(),
    problem_count: z.int(),
    /** The first 100, with their row. */
    problems: z.array(Problem).max(100),
    /** Names of people in the file, and the member that each stands for. */
    people: z
      .array(z.object({ name: z.string().max(200), rows: z.int(), user_id: z.int().nullable() }))
      .max(mostImportPeople),
    /** States in the file, and the column of each. Null means the first column for open cards. */
    states: z
      .array(z.object({ name: z.string().max(200), rows: z.int(), column_id: Uuid.nullable() }))
      .max(mostImportStates),
    /** The first 20 rows as cards, before the import is started. */
    first_cards: z.array(ImportCard).max(20),
    cards_removed: z.int(),
    kept_count: z.int(),
    /** Cards that an undo left because they were changed since: the first 100. */
    kept: z.array(Uuid).max(100),
    created_at: Timestamp,
    started_at: Timestamp.nullable(),
    finished_at: Timestamp.nullable(),
  })
  .meta({ id: 'BoardImport' })
export type Import = z.infer<typeof Import>

const ListedImport = Import.omit({
  problems: true,
  people: true,
  states: true,
  first_cards: true,
  kept: true,
}).meta({ id: 'ListedBoardImport' })
export type ListedImport = z.infer<typeof ListedImport>

const one = {
  ...boardFamily,
  params: z.object({ import_id: Uuid }),
  resources: { import_id: 'import' },
  missing: importNotFound,
} as const

export const createImport = route({
  ...inBoard,
  id: 'boards.createImport',
  method: 'POST',
  path: '/api/v1/board/boards/{board_id}/imports',
  summary: 'Upload a file of cards to import',
  description:
    'Send CSV, CSV of Linear, or issues of GitHub as JSON, up to 20 MB and 20,000 rows, as multipart field `file`. No card is created yet: the response shows what would be, with problems by row and guesses who the people are and which column each state means. Check it, then start the import. Your next upload for the board replaces a file that was not started, and a day removes it.',
  upload: {
    field: 'file',
    max_bytes: mostImportBytes,
    too_large: importFileTooLarge,
    missing: importFileMissing,
    spooled: true,
    sample: { name: 'cards.csv', text: 'title,status,labels\nOil the wheels,To do,mechanics\n' },
  },
  responses: { 201: Import },
  refusals: [
    refused.boardNotFound,
    refused.boardArchived,
    importFileMissing,
    importFileTooLarge,
    importUnreadable,
    importLimit,
  ],
  deadline_ms: 60_000,
})

export const listImports = route({
  ...inBoard,
  id: 'boards.listImports',
  method: 'GET',
  path: '/api/v1/board/boards/{board_id}/imports',
  summary: 'List the imports of a board, newest first',
  description: 'Imports are listed, and can be undone, for 90 days.',
  example: { query: { per_page: '20' } },
  query: z.object({ ...paged() }),
  responses: {
    200: z.object({ items: z.array(ListedImport), total: z.int(), page: z.int(), per_page: z.int() }),
  },
  refusals: [refused.boardNotFound],
})

export const getImport = route({
  ...one,
  id: 'boards.getImport',
  method: 'GET',
  path: '/api/v1/board/imports/{import_id}',
  summary: 'Get an import and its progress',
  description:
    '`rows_done` of `rows_total` are done. The feed of the board has `import.updated` for each step.',
  responses: { 200: Import },
  refusals: [importNotFound],
})

export const startImport = route({
  ...one,
  id: 'boards.startImport',
  method: 'POST',
  path: '/api/v1/board/imports/{import_id}:start',
  summary: 'Start an import',
  description:
    '`people` says which member each name of the file is, `states` which column (id or name) each state means; what you leave out stays as guessed. With `dry_run=true`, the response shows what would be created with these. Rows whose card is on the board already are skipped. Imported cards have `source: import`, and agents do not take them from the queue, because others wrote their texts; with `for_agents: true`, you vouch for the texts, and they do.',
  example: { body: { people: { octocat: null }, for_agents: false } },
  body: z
    .object({
      people: z.record(text(1, 200), z.int().min(1).max(2_147_483_647).nullable()).optional(),
      states: z.record(text(1, 200), text(1, 100)).optional(),
      for_agents: z.boolean().optional(),
    })
    .default({}),
  responses: { 200: Import },
  refusals: [
    importNotFound,
    refused.boardArchived,
    importStarted,
    importBusy,
    importLimit,
    importNotMember,
    importNoColumn,
    importByAgent,
  ],
})

export const undoImport = route({
  ...one,
  id: 'boards.undoImport',
  method: 'POST',
  path: '/api/v1/board/imports/{import_id}:undo',
  summary: 'Undo an import',
  description:
    'Deletes the cards it created, also while it is running. Cards that were changed since, commented on, claimed or related to others are kept and named in `kept`; with `force: true`, they are deleted as well. A file that was not started is removed. Repeating the call changes nothing.',
  example: { body: {} },
  body: z.object({ force: z.boolean().optional() }).default({}),
  responses: { 200: Import },
  refusals: [importNotFound, refused.boardArchived, importBusy],
})
