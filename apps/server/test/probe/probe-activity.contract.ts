import { route, token } from '@crewhall/contracts/route.ts'
import { z } from 'zod'

/** The naive twin of the activity feed: entries carry the time at which their transaction began, and no lock. */
const addNaiveActivity = route({
  id: 'probe.addNaiveActivity',
  method: 'POST',
  path: '/api/v1/probe/naive/activity',
  summary: 'Writes an entry at the time its transaction began, and commits a little later',
  auth: token(),
  responses: { 201: z.object({ id: z.int() }) },
})

const listNaiveActivity = route({
  id: 'probe.listNaiveActivity',
  method: 'GET',
  path: '/api/v1/probe/naive/activity',
  summary: 'Entries with a later time than the cursor',
  auth: token(),
  query: z.object({ since: z.string() }),
  responses: { 200: z.object({ items: z.array(z.object({ id: z.int(), created_at: z.string() })) }) },
})

export const probeActivityRoutes = { addNaiveActivity, listNaiveActivity } as const
