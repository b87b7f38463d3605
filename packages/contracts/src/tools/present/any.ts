import type { Piece } from '../pieces.ts'
import type { ToolCall } from '../tool.ts'
import { continuationOf } from './continuation.ts'
import { type Fields, isFields, provenanceOf } from './provenance.ts'
import { isActor, isTimestamp, minuteOf, oneLine, Writing, writeActor } from './writing.ts'

export interface Around {
  /** Of everything in the response. */
  readonly provenance?: string
  /** The object itself is of the workspace, whatever its source says of other fields; lists in it are looked at. */
  readonly isTrusted?: boolean
  /** Nothing at all is no news. */
  readonly isQuiet?: boolean
}

/**
 * What has no presenter of its own: a line for each fact, and one for each entry of a list. Nothing and empty is left out. An
 * object that tells of a writer outside, and everything in it, is fenced.
 */
export function presentAny(body: unknown, call?: ToolCall, around: Around = {}): readonly Piece[] {
  const writing = new Writing()
  const { provenance, isTrusted } = around
  if (isFields(body)) {
    const facts = call ? withoutRepetition(body, call) : body
    // Of what was asked for, an empty list is an answer.
    if (call)
      for (const [name, value] of Object.entries(facts))
        if (isEmptyList(value)) writing.add(`${name}: none\n`)
    writeFacts(writing, facts, '', isTrusted ? undefined : (provenanceOf(body) ?? provenance))
    const next = call && continuationOf(body, call)
    if (next) writing.add(`${next}\n`)
  } else writeEntry(writing, body, '', provenance)
  return writing.pieces.length === 0 && !around.isQuiet ? ['Nothing.\n'] : writing.pieces
}

const paging = new Set(['page', 'per_page', 'next_cursor', 'next_after', 'next_before'])
function withoutRepetition(body: Fields, { params }: ToolCall): Fields {
  const asked = ['task_id', 'board_id'].filter((name) => name in params)
  const facts = Object.entries(body).filter(([name]) => !paging.has(name))
  return without(Object.fromEntries(facts), new Set([...asked, 'rank'])) as Fields
}

/** What the caller has just named itself is left out, and the id of a card that has a ref. */
function without(value: unknown, names: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((each) => without(each, names))
  if (!isFields(value)) return value
  const isCard = typeof value.ref === 'string' && ('status' in value || 'version' in value)
  const kept = Object.entries(value).filter(
    ([name]) => !names.has(name) && !(isCard && (name === 'task_id' || name === 'id')),
  )
  return Object.fromEntries(kept.map(([name, each]) => [name, without(each, names)]))
}

/** Texts above this length, and those with several lines, stand below their name. */
const longText = 200

function writeFacts(writing: Writing, fields: Fields, indent: string, provenance: string | undefined): void {
  for (const [name, value] of Object.entries(fields)) {
    if (isEmpty(value)) continue
    writing.add(indent)
    writeName(writing, name, provenance)
    if (Array.isArray(value) && value.some(isFields)) {
      writing.add(` (${value.length}):\n`)
      for (const entry of value) writeEntry(writing, entry, `${indent}- `, provenance)
    } else if (isFields(value) && !isActor(value) && !isShort(value)) {
      writing.add(':\n')
      writeFacts(writing, value, `${indent}  `, provenanceOf(value) ?? provenance)
    } else {
      writing.add(isLong(value) ? ':\n' : ': ')
      writeValue(writing, name, value, provenance)
      writing.add('\n')
    }
  }
}

/** One line; what is long follows below it. */
function writeEntry(writing: Writing, entry: unknown, indent: string, around: string | undefined): void {
  writing.add(indent)
  if (!isFields(entry)) {
    writeValue(writing, '', entry, around)
    writing.add('\n')
    return
  }
  const provenance = provenanceOf(entry) ?? around
  const told = Object.entries(entry).filter(([, value]) => !isEmpty(value))
  writeNamed(
    writing,
    told.filter(([, value]) => !isBelow(value)),
    ' | ',
    provenance,
  )
  writing.add('\n')
  const below = told.filter(([, value]) => isBelow(value))
  writeFacts(writing, Object.fromEntries(below), ' '.repeat(indent.length), provenance)
}

const isLong = (value: unknown): value is string =>
  typeof value === 'string' && (value.length > longText || value.includes('\n'))

const isBelow = (value: unknown): boolean =>
  isLong(value) ||
  (Array.isArray(value) && value.some(isFields)) ||
  (isFields(value) && !isActor(value) && !isShort(value))

/** An object that fits into a line: values without further structure. */
const isShort = (value: Fields): boolean =>
  Object.values(value).every(
    (each) => !isLong(each) && (isActor(each) || !isFields(each)) && !hasFields(each),
  )
const hasFields = (value: unknown): boolean => Array.isArray(value) && value.some(isFields)

function writeValue(writing: Writing, name: string, value: unknown, provenance: string | undefined): void {
  if (isTimestamp(value)) writing.add(name.endsWith('expires_at') ? value : minuteOf(value))
  else if (typeof value === 'string') {
    const text = isLong(value) ? value : oneLine(value)
    writing.words(text, isPlain(name, text) ? undefined : provenance)
  } else if (Array.isArray(value)) {
    value.forEach((each, index) => {
      writing.add(index === 0 ? '' : ', ')
      writeValue(writing, name, each, provenance)
    })
  } else if (isActor(value)) writeActor(writing, value)
  else if (isFields(value)) {
    const told = Object.entries(value).filter(([, each]) => !isEmpty(each))
    writeNamed(writing, told, ' ', provenanceOf(value) ?? provenance)
  } else writing.add(String(value))
}

function writeNamed(
  writing: Writing,
  values: readonly (readonly [string, unknown])[],
  separator: string,
  provenance: string | undefined,
): void {
  values.forEach(([name, value], index) => {
    writing.add(index === 0 ? '' : separator)
    writeName(writing, name, provenance)
    writing.add('=')
    writeValue(writing, name, value, provenance)
  })
}

/** Names of fields are the product's, but objects of any shape have keys that somebody chose. */
const nameForm = /^[\w.:-]{1,60}$/
function writeName(writing: Writing, name: string, provenance: string | undefined): void {
  writing.words(oneLine(name), nameForm.test(name) ? undefined : provenance)
}

/** Words of the product, and not of whoever wrote the rest. */
const plainNames =
  /^(id|ref|kind|status|state|source|priority|task_type|role|type|action|service|sha|sha256|.*_(id|at|on|sha|state|status|kind|type))$/
const plainForm = /^[\w.:+/-]{1,64}$/
const isPlain = (name: string, text: string): boolean => plainNames.test(name) && plainForm.test(text)

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  isEmptyList(value) ||
  (isFields(value) && Object.values(value).every(isEmpty))
