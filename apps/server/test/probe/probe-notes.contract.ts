import { job } from '@crewhall/contracts/job.ts'
import { refusal } from '@crewhall/contracts/refusal.ts'
import { route, token } from '@crewhall/contracts/route.ts'
import { Uuid } from '@crewhall/contracts/wire.ts'
import { z } from 'zod'

const Note = z.object({ id: Uuid, name: z.string() })
export const noteNotFound = refusal(404, 'Note not found')

/** Everything that a write may leave behind, on a handle of its own. */
const addNote = route({
  id: 'probe.addNote',
  method: 'POST',
  path: '/api/v1/probe/notes',
  summary: 'Adds a note',
  auth: token(),
  database: 'memory',
  dry_run: true,
  body: z.object({ name: z.string().max(100) }),
  responses: { 201: Note },
})

const findNote = route({
  id: 'probe.findNote',
  method: 'GET',
  path: '/api/v1/probe/notes/{note_id}',
  summary: 'Returns a note',
  auth: token(),
  database: 'memory',
  params: z.object({ note_id: Uuid }),
  missing: refusal(422, 'note_id: must be a UUID'),
  formats: { default: 'yaml', accepts: ['yaml', 'json'] },
  responses: { 200: Note },
  refusals: [noteNotFound],
})

const searchNotes = route({
  id: 'probe.searchNotes',
  method: 'POST',
  is_read: true,
  path: '/api/v1/probe/notes/search',
  summary: 'Finds notes by name',
  auth: token(),
  database: 'memory',
  body: z.object({ name: z.string().max(100) }),
  responses: { 200: z.object({ notes: z.array(Note).max(10), is_outside: z.boolean() }) },
})

export const probeNoteRoutes = { addNote, findNote, searchNotes } as const

export const noteJob = job({ name: 'probe.note', payload: z.object({ brand_id: z.int(), name: z.string() }) })
