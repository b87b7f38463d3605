import { z } from 'zod'
import { refusal } from '../refusal.ts'
import { route } from '../route.ts'
import { boardFamily } from './boards.ts'
import * as refused from './refusals.ts'
import { TaskId } from './task-ids.ts'

/** Besides its assignee and whoever requested it. */
export const mostWatchers = 100
export const watcherLimit = refusal(409, `A card has at most ${mostWatchers} watchers`)

const ofCard = {
  ...boardFamily,
  path: '/api/v1/board/tasks/{task_id}/watchers',
  params: z.object({ task_id: TaskId }),
  resources: { task_id: 'card' },
  missing: refused.cardNotFound,
} as const
const own = { ...ofCard, path: '/api/v1/board/tasks/{task_id}/watchers/me' } as const

const Watching = z.object({
  /** Whether you watch it. */
  watching: z.boolean(),
})

export const listWatchers = route({
  ...ofCard,
  id: 'boards.listWatchers',
  method: 'GET',
  summary: 'List the members who watch a card',
  description:
    'Watchers are told in their inbox when the card is blocked, wants a review, or when work on it breaks. Its assignee, whoever requested it, members who comment on it and those who are mentioned watch it without being asked, until they leave.',
  responses: {
    200: Watching.extend({
      items: z.array(z.object({ user_id: z.int(), name: z.string() })).max(mostWatchers + 2),
    }),
  },
  refusals: [refused.cardNotFound],
})

export const watchCard = route({
  ...own,
  id: 'boards.watchCard',
  method: 'PUT',
  summary: 'Watch a card',
  description: 'Repeating it changes nothing.',
  dry_run: true,
  responses: { 200: Watching },
  refusals: [refused.cardNotFound, refused.boardArchived, watcherLimit],
})

export const leaveCard = route({
  ...own,
  id: 'boards.leaveCard',
  method: 'DELETE',
  summary: 'Stop watching a card',
  description:
    'Afterwards you are not added again by being assigned, by commenting or by being mentioned. You are still told of being assigned and mentioned.',
  dry_run: true,
  responses: { 200: Watching },
  refusals: [refused.cardNotFound, refused.boardArchived],
})
