import type { Piece } from '../pieces.ts'

import { presentAny } from './any.ts'
import { type Fields, isFields } from './provenance.ts'
import { minuteOf, oneLine, Writing, writeActor } from './writing.ts'

/**
 * A line for each entry: when, what, which card, who, and what changed. The feed does not keep whose words a title was at that
 * time, so titles are left out, as the ref says enough, and values are fenced.
 */
export function presentActivity(body: unknown): readonly Piece[] {
  if (!isFields(body) || !Array.isArray(body.items)) return presentAny(body)
  const { items, next_cursor, older_cursor } = body
  const writing = new Writing()
  writing.add(`${items.length} entries, newest first: time action ref actor: changes`)
  if (typeof next_cursor === 'string')
    writing.add(`; for what comes later, repeat this call with since=${next_cursor}`)
  if (typeof older_cursor === 'string') writing.add(`; for what was before, with before=${older_cursor}`)
  writing.add('\n')
  for (const entry of items.filter(isFields)) writeEntry(writing, entry)
  return writing.pieces
}

function writeEntry(writing: Writing, entry: Fields): void {
  const { action, created_at, ref, task_id, actor, data, changes } = entry
  writing.add(`${minuteOf(String(created_at))} ${String(action)} `)
  writing.add(typeof ref === 'string' ? `${ref} ` : typeof task_id === 'string' ? `${task_id} ` : '')
  writeActor(writing, actor)
  for (const [name, value] of Object.entries(isFields(data) ? data : {}))
    if (!repeated.has(name)) writeFact(writing, entry, name, value)
  if (isFields(changes))
    for (const [name, value] of Object.entries(changes)) writeFact(writing, entry, name, value)
  writing.add('\n')
}

const repeated = new Set(['ref', 'title', 'fields'])
/** Fields that no guest and no import writes; all others are fenced, also those that a later version adds. */
const ofWorkspace = new Set([
  ...['column', 'status', 'kind', 'priority', 'task_type', 'assignee', 'delegate', 'estimate', 'source'],
  ...['branch', 'base_branch', 'repository', 'commit_sha', 'pr_number', 'pr_state', 'pr_url', 'merged_at'],
  ...[
    'start_at',
    'due_at',
    'expires_at',
    'epoch',
    'usage',
    'line',
    'reason',
    'holder',
    'content_type',
    'state',
  ],
  ...['instructions', 'acceptance_criteria', 'plan', 'notes', 'result', 'review', 'log', 'blocked_reason'],
])
const movesOfWorkspace = /^(task\.moved|task\.checks_changed|column\..*|guest\.role_changed)$/
const idForm = /^[\w.:-]{1,64}$/

function writeFact(writing: Writing, { action, actor }: Fields, name: string, value: unknown): void {
  if (value === null || value === undefined) return
  const isGuest = isFields(actor) && actor.kind === 'guest'
  const isPlain =
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    (name.endsWith('_id') && idForm.test(String(value))) ||
    (!isGuest && ofWorkspace.has(name)) ||
    ((name === 'from' || name === 'to') && movesOfWorkspace.test(String(action)))
  writing.add(` ${name}=`).words(brief(value), isPlain ? undefined : isGuest ? 'guest' : 'unverified')
}

const longest = 200
function brief(value: unknown): string {
  const change =
    isFields(value) && 'from' in value && 'to' in value
      ? `${plain(value.from)} -> ${plain(value.to)}`
      : plain(value)
  return change.length > longest ? `${change.slice(0, longest)}… (${change.length} characters)` : change
}

function plain(value: unknown): string {
  const told = isFields(value) && typeof value.name === 'string' ? value.name : value
  return oneLine(typeof told === 'string' ? told : JSON.stringify(told ?? null))
}
