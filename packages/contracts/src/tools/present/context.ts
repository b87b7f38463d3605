import type { Piece } from '../pieces.ts'
import type { ToolCall } from '../tool.ts'
import { presentAny } from './any.ts'
import { writeCard } from './cards.ts'
import { writeComment } from './comments.ts'
import { type Fields, isFields, provenanceOfCard } from './provenance.ts'
import { oneLine, Writing } from './writing.ts'

/** What was cut, and where it is: no part is missing without a word. */
function writeCut(writing: Writing, cut: unknown): void {
  if (!Array.isArray(cut) || cut.length === 0) return
  writing.add('cut to the budget (a larger budget_bytes returns more):\n').join(presentAny({ cut }))
}

const texts = ['instructions', 'acceptance_criteria', 'review', 'plan', 'notes', 'result'] as const

export function presentContext(body: unknown): readonly Piece[] {
  if (!isFields(body)) return presentAny(body)
  const writing = new Writing()
  const { comments, blockers, parent, cut, description, version, claim_epoch } = body
  writeCard(writing, body).add(` version=${String(version)} claim_epoch=${String(claim_epoch)}\n`)
  if (typeof body.lessons_degraded === 'string')
    writing.add(`lessons: not available (${body.lessons_degraded})\n`)
  if (isFields(parent)) writeCard(writing.add('parent: '), parent).add('\n')
  for (const card of listOf(blockers)) writeCard(writing.add('blocked by: '), card).add('\n')
  for (const name of texts) writeText(writing, name, body[name], undefined)
  writeText(writing, 'description', description, provenanceOfCard(body))
  for (const item of listOf(body.checklist))
    writing.add(`[${item.done === true ? 'x' : ' '}] ${oneLine(String(item.text))}\n`)
  const { agent_context, delivery, lessons, memories, runs } = body
  writing.join(
    presentAny({ agent_context, delivery, lessons, memories, runs }, undefined, {
      isTrusted: true,
      isQuiet: true,
    }),
  )
  if (listOf(comments).length > 0) writing.add('## comments\n')
  for (const comment of listOf(comments)) writeComment(writing, comment)
  writeCut(writing, cut)
  return writing.pieces
}

function writeText(writing: Writing, name: string, text: unknown, provenance: string | undefined): void {
  if (typeof text === 'string' && text !== '') writing.add(`## ${name}\n`).words(text, provenance).add('\n')
}

const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : [])

/** A claimed card: what to send with heartbeats and writes first, then the work. */
export function presentWork(body: unknown, call: ToolCall): readonly Piece[] {
  if (!isFields(body)) return presentAny(body, call)
  const { claim, run, context, task, missing } = body
  if (!isFields(claim)) return ['No card is ready.\n']
  const writing = new Writing()
  writing.add(
    `claim_id=${String(claim.claim_id)} epoch=${String(claim.epoch)} until ${String(claim.expires_at)}`,
  )
  if (isFields(run)) writing.add(` run_id=${String(run.id)}`)
  writing.add('\n')
  if (isFields(missing)) writing.join(presentAny({ missing }))
  if (isFields(task)) writeCard(writing, task).add('\n')
  if (isFields(context)) writing.join(presentContext(context))
  return writing.pieces
}
