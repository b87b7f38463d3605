import type { Piece } from '../pieces.ts'
import type { ToolCall } from '../tool.ts'
import { continuationOf } from './continuation.ts'
import { type Fields, isFields, provenanceOf } from './provenance.ts'
import { isActor, isTimestamp, minuteOf, oneLine, Writing, writeActor } from './writing.ts'

/** What has no presenter of its own: lines of facts, and a line for each entry of a list. Nothing and empty is left out. */
export function presentAny(body: unknown, call?: ToolCall): readonly Piece[] {
  const writing = new Writing()
  if (isFields(body)) {
    writeFacts(writing, withoutPaging(body), '', undefined)
    const next = call && continuationOf(body, call)
    if (next) writing.add(`${next}\n`)
  } else writeEntry(writing, body, '', undefined)
  return writing.pieces.length === 0 ? ['Nothing.'] : writing.pieces
}

const paging = new Set(['page', 'per_page'])
const withoutPaging = (body: Fields): Fields =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !paging.has(name) && !name.startsWith('next_')))

/** Texts above this length, and those with several lines, stand below their name. */
const longText = 200

function writeFacts(writing: Writing, fields: Fields, indent: string, around: string | undefined): void {
  const provenance = provenanceOf(fields) ?? around
  for (const [name, value] of Object.entries(fields)) {
    if (isEmpty(value)) continue
    if (Array.isArray(value) && value.some(isFields)) writeList(writing, name, value, indent, provenance)
    else if (isFields(value) && !isActor(value) && !isShort(value)) {
      writing.add(`${indent}${name}:\n`)
      writeFacts(writing, value, `${indent}  `, provenance)
    } else {
      writing.add(`${indent}${name}: `)
      if (isLong(value)) writing.add('\n')
      writeValue(writing, name, value, provenance)
      writing.add('\n')
    }
  }
}

function writeList(
  writing: Writing,
  name: string,
  list: readonly unknown[],
  indent: string,
  around: string | undefined,
): void {
  writing.add(`${indent}${name} (${list.length}):\n`)
  for (const entry of list) writeEntry(writing, entry, `${indent}- `, around)
}

/** One line; long texts follow below it. */
function writeEntry(writing: Writing, entry: unknown, indent: string, around: string | undefined): void {
  writing.add(indent)
  if (!isFields(entry)) {
    writeValue(writing, '', entry, around)
    writing.add('\n')
    return
  }
  const provenance = provenanceOf(entry) ?? around
  const told = Object.entries(entry).filter(([, value]) => !isEmpty(value))
  const deeper = ' '.repeat(indent.length)
  let isFirst = true
  for (const [name, value] of told) {
    if (isBelow(value)) continue
    writing.add(`${isFirst ? '' : ' | '}${name}=`)
    writeValue(writing, name, value, provenance)
    isFirst = false
  }
  writing.add('\n')
  for (const [name, value] of told)
    if (isBelow(value)) writeFacts(writing, { [name]: value }, `${deeper}`, provenance)
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
  if (isTimestamp(value)) writing.add(minuteOf(value))
  else if (typeof value === 'string') {
    const text = isLong(value) ? value : oneLine(value)
    writing.words(text, isPlain(name, text) ? undefined : provenance)
  } else if (Array.isArray(value))
    writeJoined(
      writing,
      value.map((each) => [name, each]),
      ', ',
      false,
      provenance,
    )
  else if (isActor(value)) writeActor(writing, value)
  else if (isFields(value)) {
    const told = Object.entries(value).filter(([, each]) => !isEmpty(each))
    writeJoined(writing, told, ' ', true, provenanceOf(value) ?? provenance)
  } else writing.add(String(value))
}

function writeJoined(
  writing: Writing,
  values: readonly (readonly [string, unknown])[],
  separator: string,
  isNamed: boolean,
  provenance: string | undefined,
): void {
  values.forEach(([name, value], index) => {
    writing.add(`${index === 0 ? '' : separator}${isNamed ? `${name}=` : ''}`)
    writeValue(writing, name, value, provenance)
  })
}

/** Words of the product, and not of whoever wrote the rest. */
const plainNames =
  /^(id|ref|kind|status|state|source|priority|task_type|role|type|action|version|.*_(id|at|state|status|kind|type))$/
const plainForm = /^[\w.:+-]{1,60}$/
const isPlain = (name: string, text: string): boolean => plainNames.test(name) && plainForm.test(text)

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isFields(value) && Object.values(value).every(isEmpty))
