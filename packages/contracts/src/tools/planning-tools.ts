import * as attachments from '../boards/attachments.ts'
import * as checklists from '../boards/checklists.ts'
import * as cycles from '../boards/cycles.ts'
import * as delivery from '../boards/delivery.ts'
import * as exports from '../boards/export.ts'
import * as guests from '../boards/guests.ts'
import * as hooks from '../boards/hooks.ts'
import * as imports from '../boards/imports.ts'
import * as labels from '../boards/labels.ts'
import * as sums from '../boards/sums.ts'
import * as views from '../boards/views.ts'
import * as inbox from '../inbox/inbox.ts'
import { actionsOf, destructive } from './actions.ts'
import { presentCards } from './present/cards.ts'
import { presentExport, presentFrom } from './present/outside.ts'
import type { Tool } from './tool.ts'

const action = actionsOf('boards', '1.26.0')
const newAction = actionsOf('boards', '1.27.0')
const ofBoards = { package: 'boards' } as const
/** Guests put labels and titles on cards; neither a label nor an entry of the inbox tells whose words they were. */
const ofNobody = { present: presentFrom('unverified') } as const
/** Guests name themselves. */
const ofGuests = { present: presentFrom('guest') } as const
const imported = { present: presentFrom('import') } as const

/** The rest of the boards, for those who ask for it. */
export const planningTools: readonly Tool[] = [
  {
    ...ofBoards,
    toolset: 'plan',
    name: 'labels',
    title: 'Labels',
    description: 'Labels of a board. Cards name labels by their names.',
    actions: [
      action('list', labels.listLabels, 'All labels with their ids', ofNobody),
      action('create', labels.createLabel, 'Create a label', ofNobody),
      action('change', labels.changeLabel, 'Rename or recolor it', ofNobody),
      action('merge', labels.mergeLabel, 'Merge it into another label', { ...ofNobody, ...destructive }),
      action('remove', labels.removeLabel, 'Remove it from all cards', destructive),
    ],
  },
  {
    ...ofBoards,
    toolset: 'plan',
    name: 'views',
    title: 'Saved views',
    description: 'Searches with a name. `filters` are arguments of cards_search search, as strings.',
    actions: [
      action('list', views.listViews, 'Yours and shared ones'),
      action('cards', views.listViewCards, 'The cards of a view', { present: presentCards }),
      action('create', views.createView, 'Save a view'),
      action('change', views.changeView, 'Change a view'),
      action('remove', views.removeView, 'Remove a view', destructive),
    ],
  },
  {
    ...ofBoards,
    toolset: 'plan',
    name: 'card_parts',
    title: 'Checklists and attachments',
    description: 'The checklist of a card and its files. Files are uploaded and downloaded over HTTP.',
    actions: [
      action('checklist', checklists.listChecklist, 'List the items'),
      action('add_items', checklists.addChecklistItems, 'Add items'),
      action('change_item', checklists.changeChecklistItem, 'Check, reopen, rewrite or move an item'),
      action('remove_item', checklists.removeChecklistItem, 'Remove an item', destructive),
      action('attachments', attachments.listAttachments, 'List the files'),
      action('attachment', attachments.getAttachment, 'A file, with the beginning of a text'),
      action('remove_attachment', attachments.removeAttachment, 'Delete a file', destructive),
    ],
  },
  {
    ...ofBoards,
    toolset: 'plan',
    name: 'cycles',
    title: 'Cycles',
    description: 'Time boxes of a board. Days are such as 2026-03-09.',
    actions: [
      action('list', cycles.listCycles, 'With scope: planned, added, done, open'),
      action('cards', cycles.listCycleCards, 'The cards of a cycle', { present: presentCards }),
      action('create', cycles.createCycle, 'Create a cycle'),
      action('change', cycles.changeCycle, 'Change name, goal or days'),
      action('remove', cycles.removeCycle, 'Remove a cycle without cards', destructive),
      action('add_cards', cycles.addCycleCards, 'Put cards into it, by ref'),
      action('leave', cycles.leaveCycle, 'Take a card out of its cycle'),
      action('start', cycles.startCycle, 'Start it'),
      action('close', cycles.closeCycle, 'Close it and carry open cards over', destructive),
    ],
  },
  {
    ...ofBoards,
    toolset: 'deliver',
    name: 'hooks',
    title: 'Repository hooks',
    description: 'Hooks by which GitHub and GitLab tell of pull requests, and what a merge does to cards.',
    actions: [
      newAction('list', hooks.listHooks, 'Hooks of the workspace'),
      newAction('change', hooks.changeHook, 'Change address or boards'),
      newAction('delete', hooks.deleteHook, 'Delete a hook', destructive),
      newAction('on_merge', delivery.getMergeMove, 'Where a merge moves cards of a board'),
      newAction('set_on_merge', delivery.setMergeMove, 'Set that column; null switches it off'),
    ],
  },
  {
    ...ofBoards,
    toolset: 'bring',
    name: 'transfer',
    title: 'Import and export',
    description: 'Export a board, and steer imports. A file to import is uploaded over HTTP.',
    actions: [
      action('export', exports.exportBoard, 'A board as Markdown, CSV or JSON lines', {
        defaults: { detail: 'summary' },
        present: presentExport,
      }),
      action('imports', imports.listImports, 'Imports of a board', imported),
      action('import', imports.getImport, 'An import: progress, problems, first cards', imported),
      action('start_import', imports.startImport, 'Start it with people and columns', imported),
      action('undo_import', imports.undoImport, 'Delete its cards again', { ...imported, ...destructive }),
    ],
  },
  {
    ...ofBoards,
    toolset: 'inbox',
    name: 'inbox',
    title: 'Inbox',
    description: 'What waits for you: questions, reviews, failures, mentions, assignments.',
    actions: [
      action('list', inbox.listInbox, 'Open entries, newest first', ofNobody),
      action('mark', inbox.markInbox, 'Mark up to 100 as read, unread, done or snoozed', ofNobody),
    ],
  },
  {
    ...ofBoards,
    toolset: 'sums',
    name: 'sums',
    title: 'Sums',
    description:
      'Cards done, lead time, tokens and cost. by: board, agent, person, week, separated by commas.',
    actions: [action('list', sums.listSums, 'Sum up')],
  },
  {
    ...ofBoards,
    toolset: 'guests',
    name: 'board_guests',
    title: 'Guests of a board',
    description: 'People from outside who see a board.',
    actions: [
      action('list', guests.listBoardGuests, 'List them', ofGuests),
      action('add', guests.addBoardGuest, 'Invite by e-mail', ofGuests),
      action('change', guests.changeBoardGuest, 'Change the role', ofGuests),
      action('remove', guests.removeBoardGuest, 'End the access', destructive),
    ],
  },
]
