import { z } from 'zod'
import { projectNotFound } from '../code-index/refusals.ts'
import { scopeMissing } from '../identity/refusals.ts'
import { route, token } from '../route.ts'
import { Uuid } from '../wire.ts'
import { LessonBrief } from './brief.ts'

/** LES-60. */
export const mostLookedUp = 1000
/** LES-65. */
export const mostShown = 5

export const LessonsOfNodes = z
  .object({
    counts: z.record(Uuid, z.int()).describe('How many lessons each node has; nodes without any are absent'),
    entries: z
      .record(Uuid, z.array(LessonBrief).max(mostShown))
      .describe('Pinned ones first, then the newest'),
  })
  .meta({ id: 'LessonsOfNodes' })
export type LessonsOfNodes = z.infer<typeof LessonsOfNodes>

export const lookUpAnchors = route({
  auth: token('memory:read'),
  database: 'memory',
  id: 'lessons.lookUpAnchors',
  method: 'POST',
  is_read: true,
  is_long: true,
  path: '/api/v1/memory/anchors:lookup',
  summary: 'Count the lessons on nodes of the code',
  description:
    'For up to 1,000 nodes: how many live lessons each has, and five of them. `subtree` takes everything under a node as well, `exact` only what is anchored on the node itself. Nodes that are not live code of the project are absent.',
  example: {
    body: {
      project_id: '3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f',
      node_ids: ['7d0c2f4a-8f5b-4c57-9a3e-2b6d1c9e4f70'],
    },
  },
  body: z.object({
    project_id: Uuid,
    node_ids: z.array(Uuid).max(mostLookedUp),
    match: z.enum(['subtree', 'exact']).default('subtree'),
  }),
  resources: { 'body.project_id': 'project', 'body.node_ids': 'code_node' },
  responses: { 200: LessonsOfNodes },
  refusals: [scopeMissing, projectNotFound],
})
