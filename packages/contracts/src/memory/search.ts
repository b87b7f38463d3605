import { z } from 'zod'
import { agentNotOwned, scopeMissing } from '../identity/refusals.ts'
import { route } from '../route.ts'
import { pageLimit, queryBoolean, text } from '../wire.ts'
import * as fields from './fields.ts'

const longestQuery = 2000
export const mostResults = 50

const shared = {
  ...fields.memoryRead,
  ...fields.ofAgent,
  method: 'POST',
  is_read: true,
  formats: { default: 'yaml', accepts: ['yaml', 'json', 'md'] },
  responses: {
    200: z.object({
      memories: z.array(fields.FoundMemory).max(mostResults),
      count: z.int(),
      agent_id: z.string(),
    }),
  },
  refusals: [scopeMissing, agentNotOwned],
} as const

export const searchMemories = route({
  ...shared,
  id: 'memory.searchMemories',
  path: '/api/v1/memory/agents/{agent_id}/context',
  summary: 'Search the memories of an agent',
  description:
    'Returns active memories with a confidence of 0.3 or more, ranked by match with `query`, or without it the memories with the highest confidence. Parameters go into the query string; the request has no body. `stale` marks memories not verified for more than 30 days, `low_match` those that have little in common with the query. `why=true` adds the ranks.',
  example: { query: { query: 'when do we release' } },
  query: z.object({
    query: text(0, longestQuery).optional(),
    kinds: fields.Kinds,
    limit: pageLimit(mostResults, 10),
    why: queryBoolean.optional(),
  }),
})

export const recallMemories = route({
  ...shared,
  id: 'memory.recallMemories',
  sends: ['X-Reranked'],
  path: '/api/v1/memory/agents/{agent_id}/context/relevant',
  summary: 'Recall the memories of an agent that matter for a question',
  description:
    'Takes up to 100 results of the search and lets a language model choose the best. If the model is unavailable, the order is that of the search. The header `X-Reranked` is `true` if the model has chosen.',
  example: { query: { query: 'when do we release' } },
  query: z.object({
    query: text(1, longestQuery),
    kinds: fields.Kinds,
    limit: pageLimit(mostResults, 20),
    why: queryBoolean.optional(),
  }),
})
