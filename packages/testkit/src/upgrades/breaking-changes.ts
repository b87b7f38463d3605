import type { ColumnFacts, FunctionFacts, RelationFacts, RuleFacts, SchemaFacts } from './schema-facts.ts'

/**
 * What the version that knows `before` may stumble over when the schema is `after`: it runs beside the next one while a
 * release rolls out, and comes back if the release is taken back. A line each, which begins with the name.
 */
export function breakingChanges(before: SchemaFacts, after: SchemaFacts): string[] {
  const isOld = (table: string) => before.relations.has(table)
  return [
    ...compare(before.relations, after.relations, changesOfRelation),
    ...compare(before.columns, after.columns, changesOfColumn),
    ...[...after.columns]
      .filter(([name]) => !before.columns.has(name) && isOld(tableOf(name)))
      .filter(([, { is_required, fills_itself }]) => is_required && !fills_itself)
      .map(([name]) => `${name}: new, and required without a default`),
    ...[...before.rules].flatMap(([name, was]) => changeOfRule(name, was, after.rules.get(name))),
    ...[...after.rules]
      .filter(([name, { table }]) => !before.rules.has(name) && isOld(table))
      .filter(([, rule]) => concernsOldColumns(rule, before))
      .map(([name, { kind }]) => `${name}: new ${kind} on a table in use`),
    ...compare(before.functions, after.functions, changesOfFunction),
    ...compare(before.types, after.types, (name, was, is) => (is === was ? [] : [`${name}: type changed`])),
  ].sort()
}

type Facts<T> = ReadonlyMap<string, T>

const compare = <T>(before: Facts<T>, after: Facts<T>, changes: (name: string, was: T, is: T) => string[]) =>
  [...before].flatMap(([name, was]) => {
    const is = after.get(name)
    return is === undefined ? [`${name}: gone`] : changes(name, was, is)
  })

const tableOf = (column: string): string => column.slice(0, column.lastIndexOf('.'))

/** Filters those that hold. */
const told = (...changes: readonly (readonly [holds: boolean, change: string])[]): string[] =>
  changes.flatMap(([holds, change]) => (holds ? [change] : []))

function changesOfRelation(name: string, was: RelationFacts, is: RelationFacts): string[] {
  const lost = was.rights.filter((right) => !is.rights.includes(right))
  return told(
    [is.definition !== was.definition, `${name}: selects something else`],
    [
      is.row_security !== was.row_security,
      `${name}: row security ${is.row_security}, not ${was.row_security}`,
    ],
    [lost.length > 0, `${name}: the product may no longer ${lost.join(', ')}`],
  )
}

function changesOfColumn(name: string, was: ColumnFacts, is: ColumnFacts): string[] {
  if (is.type !== was.type) return [`${name}: ${is.type} instead of ${was.type}`]
  if (is.is_computed)
    return told([!was.is_computed || changesValue(was, is), `${name}: computed in another way`])
  if (is.is_required && !was.is_required) return [`${name}: required from now on`]
  if (was.fills_itself && !is.fills_itself)
    return told([is.is_required || was.filled_with !== '', `${name}: has lost its default`])
  return told([was.fills_itself && changesValue(was, is), `${name}: another default`])
}

const changesValue = (was: ColumnFacts, is: ColumnFacts): boolean => was.filled_with !== is.filled_with

/** A statement may count on any of them: name a unique rule, lean on a cascade, tell a refusal by the name of its rule. */
function changeOfRule(name: string, was: RuleFacts, is: RuleFacts | undefined): string[] {
  if (!is) return [`${name}: ${was.kind} gone`]
  return is.definition === was.definition ? [] : [`${name}: ${was.kind} changed`]
}

/** A rule over columns that are all new sees only their defaults in what the older version writes. */
function concernsOldColumns({ table, columns }: RuleFacts, before: SchemaFacts): boolean {
  return columns.length === 0 || columns.some((column) => before.columns.has(`${table}.${column}`))
}

/** What another body does nobody can tell but a reader, who reads one body: the name of the change has its digest. */
function changesOfFunction(name: string, was: FunctionFacts, is: FunctionFacts): string[] {
  return told(
    [is.returns !== was.returns, `${name}: returns ${is.returns} instead of ${was.returns}`],
    [is.body !== was.body, `${name} ${is.body}: another body`],
    [is.manner !== was.manner, `${name}: runs as ${is.manner} instead of ${was.manner}`],
    [is.optional < was.optional, `${name}: an argument may no longer be left out`],
    [was.is_allowed && !is.is_allowed, `${name}: the product may no longer call it`],
  )
}
