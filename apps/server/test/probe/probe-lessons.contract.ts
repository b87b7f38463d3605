import { route, token } from '@crewhall/contracts/route.ts'
import { Uuid } from '@crewhall/contracts/wire.ts'
import { z } from 'zod'

/** The naive twin of `near`: it walks, then reads lessons, and never asks whether both are of one index. */
export const nearNaively = route({
  id: 'probe.nearNaively',
  method: 'POST',
  is_read: true,
  path: '/api/v1/probe/naive/near',
  summary: 'Walks down from a folder, and reads the lessons under it',
  auth: token('memory:read', 'code:read'),
  body: z.object({ project_id: Uuid, node_id: Uuid }),
  resources: { 'body.project_id': 'project', 'body.node_id': 'code_node' },
  responses: { 200: z.object({ reached_nodes: z.int(), lessons: z.int() }) },
})
