import { brandStatement, sql } from '#platform/db/statement.ts'
import { handle } from '#platform/http/handle.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { noteJob, noteNotFound, probeNoteRoutes } from './probe-notes.contract.ts'

interface Note {
  readonly id: string
  readonly name: string
}

const insert = brandStatement<{ name: string }, Note>(
  (p) => sql`insert into probe.notes (brand_id, name) values (${p.brand_id}, ${p.name}) returning id, name`,
)
const find = brandStatement<{ note_id: string }, Note>(
  (p) => sql`select id, name from probe.notes where brand_id = ${p.brand_id} and id = ${p.note_id}::uuid`,
)
const search = brandStatement<{ name: string }, Note>(
  (p) => sql`select id, name from probe.notes where brand_id = ${p.brand_id} and name = ${p.name}
   order by id limit 10`,
)

export const probeNotesMounted = () => [
  handle(probeNoteRoutes.addNote, (ctx, { body: { name } }) =>
    ctx.tx(async (ctx) => {
      const note = await ctx.db.first(insert, { name })
      if (!note) throw new Error('nothing was inserted')
      await ctx.enqueue(noteJob, { brand_id: ctx.brandId, name: `${name} by a job` })
      await ctx.emit({
        type: 'member.added',
        subject_id: note.id,
        data: { user_id: 1, role: 'member', via: 'invitation' },
      })
      await ctx.audit({ action: 'probe.noted', target: `note:${note.id}`, from: null, to: null })
      return note
    }),
  ),
  handle(probeNoteRoutes.findNote, async (ctx, { params }) => {
    const note = await ctx.db.first(find, params)
    if (!note) throw noteNotFound()
    return note
  }),
  handle(probeNoteRoutes.searchNotes, async (ctx, { body }) => ({
    notes: await ctx.db.all(search, body),
    is_outside: ctx.is_outside,
  })),
]

export const probeNoteJobs = () => [
  onJob(
    noteJob,
    async (_, { brand_id, name }, run) => {
      await run.onceIn(brand_id, name, async (ctx) => {
        await ctx.db.run(insert, { name })
      })
    },
    { database: 'memory' },
  ),
]
