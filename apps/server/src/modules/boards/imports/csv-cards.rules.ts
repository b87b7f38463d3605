import { foldName } from '@crewhall/contracts/folding.ts'
import { cardOf, type Found, type Read } from './source-cards.rules.ts'

type Field = Exclude<keyof Found, 'origin' | 'labels' | 'key'> | 'id' | 'labels' | 'created' | 'creator'

/** Names of columns by what they mean: those of our own export, of Linear, and what people call them. */
const names: Readonly<Record<Field, readonly string[]>> = {
  id: ['id', 'key', 'issue key', 'ref', 'client_ref', 'number'],
  title: ['title', 'summary', 'name', 'subject'],
  text: ['description', 'body', 'text', 'details'],
  state: ['column', 'status', 'state', 'list'],
  labels: ['labels', 'label', 'tags'],
  priority: ['priority'],
  estimate: ['estimate', 'points', 'story points'],
  due: ['due_at', 'due date', 'due'],
  start: ['start_at', 'start date', 'start'],
  type: ['task_type'],
  person: ['assignee', 'assignee email', 'assigned to', 'owner'],
  parent: ['parent', 'parent issue', 'parent id'],
  created: ['created_at', 'created', 'created at', 'created date'],
  creator: ['creator', 'reporter', 'created by'],
}

/** Which column holds what; undefined if there is no title. */
export interface CsvHeader {
  readonly source: 'csv' | 'linear'
  readonly columns: Readonly<Partial<Record<Field, number>>>
}

export function headerOf(cells: readonly string[]): CsvHeader | undefined {
  const folded = cells.map(foldName)
  const columns: Partial<Record<Field, number>> = {}
  for (const [field, known] of Object.entries(names) as [Field, readonly string[]][]) {
    // The first name that is there wins: `column` says more than `status`.
    const name = known.find((each) => folded.includes(each))
    if (name !== undefined) columns[field] = folded.indexOf(name)
  }
  if (columns.title === undefined) return undefined
  const isLinear = ['id', 'team', 'title', 'status', 'creator'].every((name) => folded.includes(name))
  return { source: isLinear ? 'linear' : 'csv', columns }
}

/** The export puts an apostrophe before what a spreadsheet would evaluate. */
const plain = (cell: string): string => (/^'[=+\-@\p{Cc}＝＋－＠]/u.test(cell) ? cell.slice(1) : cell)

/** `contentKey` names a row without an id by what it says. */
export function csvCardOf(
  { source, columns }: CsvHeader,
  row: number,
  cells: readonly string[],
  contentKey: (cells: readonly string[]) => string,
): Read {
  const cell = (field: Field): string | undefined => {
    const at = columns[field]
    const text = at === undefined ? undefined : cells[at]
    return text === undefined || text.trim() === '' ? undefined : plain(text)
  }
  const id = cell('id')?.trim()
  const parent = cell('parent')?.trim()
  return cardOf(row, {
    key: id === undefined ? `csv:${contentKey(cells)}` : keyOf(source, id),
    title: cell('title') ?? '',
    text: cell('text'),
    origin: originOf(source, id, cell('created'), cell('creator')),
    labels: cell('labels')?.split(/[,;]/),
    priority: cell('priority'),
    estimate: cell('estimate'),
    due: cell('due'),
    start: cell('start'),
    type: cell('type'),
    person: cell('person'),
    state: cell('state'),
    parent: parent && keyOf(source, parent),
  })
}

const keyOf = (source: string, id: string): string => `${source}:${id}`

function originOf(source: string, id = '', created = '', creator = ''): string | undefined {
  const facts = [
    ...(id === '' ? [] : [id]),
    ...(created === '' ? [] : [`created ${created.slice(0, 60)}`]),
    ...(creator === '' ? [] : [`by ${creator.slice(0, 100)}`]),
  ]
  const from = source === 'linear' ? 'Linear' : 'a file'
  return facts.length > 0 ? `Imported from ${from}: ${facts.join(', ')}` : undefined
}
