import type { ColumnFacts, RuleFacts, SchemaFacts } from './schema-facts.ts'

/**
 * What the version that knows `before` may stumble over when the schema is `after`: it runs beside the next one while a
 * release rolls out, and comes back if the release is taken back. A line each, which begins with the name.
 */
export function breakingChanges(before: SchemaFacts, after: SchemaFacts): string[] {
  const isOld = (table: string) => before.relations.has(table)
  return [
    ...[...before.relations].filter((name) => !after.relations.has(name)).map((name) => `${name}: gone`),
    ...[...before.columns].flatMap(([name, was]) => changeOfColumn(name, was, after.columns.get(name))),
    ...[...after.columns]
      .filter(([name]) => !before.columns.has(name) && isOld(tableOf(name)))
      .filter(([, { is_required, fills_itself }]) => is_required && !fills_itself)
      .map(([name]) => `${name}: new, and required without a default`),
    ...[...before.rules].flatMap(([name, was]) => changeOfRule(name, was, after.rules.get(name))),
    ...[...after.rules]
      .filter(([name, { table }]) => !before.rules.has(name) && isOld(table))
      .filter(([, rule]) => concernsOldColumns(rule, before))
      .map(([name, { kind }]) => `${name}: new ${kind} on a table in use`),
    ...[...before.functions].flatMap(([name, returned]) => {
      const returns = after.functions.get(name)
      if (returns === undefined) return [`${name}: gone`]
      return returns === returned ? [] : [`${name}: returns ${returns} instead of ${returned}`]
    }),
  ].sort()
}

const tableOf = (column: string): string => column.slice(0, column.lastIndexOf('.'))

function changeOfColumn(name: string, was: ColumnFacts, is: ColumnFacts | undefined): string[] {
  if (!is) return [`${name}: gone`]
  if (is.type !== was.type) return [`${name}: ${is.type} instead of ${was.type}`]
  if (is.is_required && !was.is_required) return [`${name}: required from now on`]
  if (was.fills_itself && !is.fills_itself && is.is_required) return [`${name}: has lost its default`]
  return []
}

/** A statement may name a unique rule (`on conflict`) and count on what a trigger or a policy does; other rules only refuse. */
function changeOfRule(name: string, was: RuleFacts, is: RuleFacts | undefined): string[] {
  if (is) return is.definition === was.definition ? [] : [`${name}: ${was.kind} changed`]
  const isMissed = was.kind !== 'constraint' || /^(PRIMARY KEY|UNIQUE|EXCLUDE)/.test(was.definition)
  return isMissed ? [`${name}: ${was.kind} gone`] : []
}

/** A rule over columns that are all new sees only their defaults in what the older version writes. */
function concernsOldColumns({ table, columns }: RuleFacts, before: SchemaFacts): boolean {
  return columns.length === 0 || columns.some((column) => before.columns.has(`${table}.${column}`))
}
