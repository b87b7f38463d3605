import * as boards from '../boards/boards.ts'
import * as cards from '../boards/cards.ts'
import * as claims from '../boards/claims.ts'
import * as search from '../boards/search.ts'
import * as sessions from '../identity/sessions.ts'
import { presentCards } from './present/cards.ts'
import type { Tool } from './tool.ts'

export const whoami: Tool = {
  name: 'whoami',
  title: 'Who am I',
  toolset: 'default',
  package: 'core',
  description: 'Who you are here: person, agent, workspace, role, scopes and the end of the credential.',
  actions: [{ name: 'get', route: sessions.getMe, summary: 'Get it' }],
}

export const boardsTool: Tool = {
  name: 'boards',
  title: 'Boards',
  toolset: 'default',
  package: 'boards',
  description: 'Boards and their columns.',
  actions: [
    { name: 'list', route: boards.listBoards, summary: 'List the boards' },
    { name: 'get', route: boards.getBoard, summary: 'A board with its columns' },
  ],
}

export const cardsSearch: Tool = {
  name: 'cards_search',
  title: 'Find cards',
  toolset: 'default',
  package: 'boards',
  description: 'Find cards, one line each. Several values of a filter are separated by commas.',
  actions: [
    { name: 'search', route: search.searchCards, summary: 'Search all boards', present: presentCards },
    {
      name: 'list',
      route: cards.listCards,
      summary: 'The cards of a board, by column and rank',
      defaults: { detail: 'summary' },
      present: presentCards,
    },
    {
      name: 'ready',
      route: claims.listReadyCards,
      summary: 'Cards ready to be claimed',
      present: presentCards,
    },
  ],
}

export const help: Tool = {
  name: 'help',
  title: 'Help',
  toolset: 'default',
  package: 'core',
  description: 'Tools and actions there are; with `tool` and `action`, the exact schema of its arguments.',
  actions: [],
}
