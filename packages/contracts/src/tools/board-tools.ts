import * as activity from '../boards/activity.ts'
import * as batch from '../boards/batch.ts'
import * as boards from '../boards/boards.ts'
import * as cards from '../boards/cards.ts'
import * as children from '../boards/children.ts'
import * as claims from '../boards/claims.ts'
import * as columns from '../boards/columns.ts'
import * as comments from '../boards/comments.ts'
import * as context from '../boards/context.ts'
import * as delivery from '../boards/delivery.ts'
import * as relations from '../boards/relations.ts'
import * as runs from '../boards/runs.ts'
import * as search from '../boards/search.ts'
import * as stats from '../boards/stats.ts'
import * as watchers from '../boards/watchers.ts'
import * as work from '../boards/work.ts'
import * as workingNow from '../boards/working-now.ts'
import { actionsOf, destructive } from './actions.ts'
import { presentActivity } from './present/activity.ts'
import { presentCard, presentCards, presentReceipt, presentRelations } from './present/cards.ts'
import { presentComment, presentComments } from './present/comments.ts'
import { presentContext, presentWork } from './present/context.ts'
import { presentFrom } from './present/outside.ts'
import type { Tool } from './tool.ts'

const action = actionsOf('boards', '1.26.0')
const newAction = actionsOf('boards', '1.27.0')
const inDefault = { toolset: 'default', package: 'boards' } as const
const related = { present: presentRelations } as const
const receipt = { defaults: { return: 'receipt' }, present: presentReceipt } as const

/** What an agent needs every day. Cards are named by their refs, such as `CORE-12`. */
export const defaultBoardTools: readonly Tool[] = [
  {
    ...inDefault,
    name: 'boards',
    title: 'Boards',
    description: 'Boards and their columns.',
    actions: [
      action('list', boards.listBoards, 'Boards of the workspace with their ids'),
      action('get', boards.getBoard, 'A board with its columns'),
      action('stats', stats.getBoardStats, 'Counts of a board'),
      action('create', boards.createBoard, 'Create a board; `key` is the prefix of its refs'),
      action('change', boards.changeBoard, 'Change a board'),
      action('archive', boards.archiveBoard, 'Archive a board', destructive),
      action('restore', boards.restoreBoard, 'Restore an archived board'),
      action('add_column', columns.addColumn, 'Add a column'),
      action('change_column', columns.changeColumn, 'Change or move a column'),
      action(
        'remove_column',
        columns.removeColumn,
        'Remove a column; its cards go to `move_to`',
        destructive,
      ),
    ],
  },
  {
    ...inDefault,
    name: 'cards_search',
    title: 'Find cards',
    description:
      'Find cards, one line each. Several values of a filter are separated by commas. assignee: me, none, a member id or agent:id.',
    actions: [
      action('search', search.searchCards, 'Words `q` and filters over all boards', {
        present: presentCards,
      }),
      action('list', cards.listCards, 'Cards of a board by column and rank', {
        defaults: { detail: 'summary' },
        present: presentCards,
      }),
      action('ready', claims.listReadyCards, 'Cards of a board that are ready to be claimed', {
        present: presentCards,
      }),
      action('working_now', workingNow.listWorkingNow, 'Cards that somebody works on now'),
    ],
  },
  {
    ...inDefault,
    name: 'card_read',
    title: 'Read a card',
    description: 'Everything about one card. task_id takes a ref such as CORE-12.',
    actions: [
      action('get', cards.getCard, 'All fields and long texts', { present: presentCard }),
      action('context', context.readContext, 'What a worker needs, within budget_bytes; include=lessons', {
        present: presentContext,
      }),
      action('relations', relations.listRelations, 'Blockers, parent and other relations', related),
      action('children', children.listChildren, 'Sub-tasks and their progress', { present: presentCards }),
      action('runs', runs.listRuns, 'Attempts with results and usage', { defaults: { per_page: 20 } }),
      newAction('delivery', delivery.getDelivery, 'Pull requests, checks and commits', {
        present: presentFrom('external'),
      }),
      action('watchers', watchers.listWatchers, 'Who watches it'),
    ],
  },
  {
    ...inDefault,
    name: 'card_write',
    title: 'Write a card',
    description:
      'Create and change cards. Send claim_epoch while you hold a claim. assignee: {kind: member|agent, id}.',
    actions: [
      action('create', cards.createCard, 'Create a card in a column', receipt),
      action('change', cards.changeCard, 'Change only the fields you send', receipt),
      action('batch', batch.writeBatch, 'Up to 100 operations at once'),
      action('archive', cards.archiveCard, 'Archive it; its claim ends', {
        present: presentReceipt,
        ...destructive,
      }),
      action('restore', cards.restoreCard, 'Restore an archived card', { present: presentReceipt }),
      action('relate', relations.addRelation, 'This card is `kind` of other_id', related),
      action('unrelate', relations.removeRelation, 'Remove a relation', related),
      action('watch', watchers.watchCard, 'Watch a card'),
      action('unwatch', watchers.leaveCard, 'Stop watching'),
    ],
  },
  {
    ...inDefault,
    name: 'card_move',
    title: 'Move a card',
    description: 'Move a card to a column (id or name) or beside another card.',
    actions: [action('move', cards.moveCard, 'Move a card', { present: presentReceipt })],
  },
  {
    ...inDefault,
    name: 'card_claim',
    title: 'Claim and work',
    description:
      'Take work, keep it, report and finish. Keep claim_id, epoch and run_id; a 409 on heartbeat means stop working.',
    actions: [
      action('next', work.nextWork, 'Claim the most urgent ready card, start a run, get its context', {
        present: presentWork,
      }),
      action('claim', claims.claimCard, 'Claim this card'),
      action('claim_next', claims.claimNext, 'Claim the first ready card of a board', {
        present: presentWork,
      }),
      action('heartbeat', claims.extendClaim, 'Renew the lease'),
      action('release', claims.releaseClaim, 'Give the card back'),
      action('start_run', runs.startRun, 'Start a run on a claimed card'),
      action('progress', runs.changeRun, 'Report progress; a final status ends the run'),
      action('finish', runs.finishRun, 'End the run: comment, change of the card, status, release'),
    ],
  },
  {
    ...inDefault,
    name: 'comments',
    title: 'Comments',
    description: 'Comments on a card, in Markdown.',
    actions: [
      action('list', comments.listComments, 'Oldest first', { present: presentComments }),
      action('add', comments.addComment, 'Comment or reply', { present: presentComment }),
      action('change', comments.changeComment, 'Edit your comment', { present: presentComment }),
      action('remove', comments.removeComment, 'Remove it and its replies', destructive),
    ],
  },
  {
    ...inDefault,
    name: 'activity',
    title: 'Activity',
    description: 'What happened on a board, newest first. With since=<next_cursor>: everything after that.',
    actions: [
      action('list', activity.listActivity, 'List it', { defaults: { limit: 50 }, present: presentActivity }),
    ],
  },
]
