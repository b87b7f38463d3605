import type pg from 'pg'
import {
  definerFunctions,
  definerViews,
  foreignKeys,
  globalTables,
  librarySchemas,
  uniqueIndexes,
} from './catalogue-reviewed.ts'
import * as sql from './catalogue-sql.ts'

interface Table {
  readonly name: string
  readonly kind: string
  readonly has_brand: boolean
  readonly brand_not_null: boolean
  readonly rls: boolean
  readonly forced: boolean
  readonly is_partition: boolean
}
interface Policy {
  readonly table: string
  readonly name: string
  readonly covers: string
  readonly reads: string | null
  readonly writes: string | null
}
interface Key {
  readonly table: string
  readonly name: string
  readonly columns: string[]
}
interface ForeignKey extends Key {
  readonly target: string
  readonly target_columns: string[]
  readonly indexed: boolean
}

/** The one tenant table whose own key names the tenant. */
const brands = 'identity.brands'
const wallOf = (table: string): string => (table === brands ? 'id' : 'brand_id')

/**
 * Everything in the catalogue of a database that could let one workspace see another. `role` is the one the
 * application logs in as. The answer is empty when there is nothing.
 */
export async function catalogueFaults(client: pg.Client, role: string): Promise<string[]> {
  const tables = (await client.query<Table>(sql.tables, [libraries])).rows
  const tenants = tables.filter(({ name, has_brand }) => isTenant(name, has_brand))
  const names = new Set(tenants.map(({ name }) => name))
  const policies = (await client.query<Policy>(sql.policies)).rows
  const unique = (await client.query<Key>(sql.unique)).rows.filter(({ table }) => names.has(table))
  const foreign = (await client.query<ForeignKey>(sql.foreign, [libraries])).rows
  return [
    ...(names.has(brands) ? [] : [`${brands} is not there`]),
    ...tables.filter((table) => !names.has(table.name)).flatMap(faultsOfGlobal),
    ...tenants.flatMap((table) => faultsOfTenant(table, policies)),
    ...unique.flatMap(faultsOfUnique),
    ...foreign.flatMap((key) => faultsOfForeign(key, names)),
    ...(await openDoors(client, role)),
  ].sort()
}

/** Every tenant table there is; partitions are part of theirs. */
export async function tenantTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<Table>(sql.tables, [libraries])
  return rows
    .filter(({ name, has_brand, is_partition }) => isTenant(name, has_brand) && !is_partition)
    .map(({ name }) => name)
}

const libraries = Object.keys(librarySchemas)
const isTenant = (name: string, hasBrand: boolean) => name === brands || (hasBrand && !(name in globalTables))

function faultsOfGlobal({ name, kind }: Table): string[] {
  if (kind === 'f') return [`${name} is a foreign table, which has no row security`]
  return name in globalTables ? [] : [`${name} has no brand_id and is not on the list of global tables`]
}

function faultsOfTenant(table: Table, policies: readonly Policy[]): string[] {
  const { name } = table
  const faults: string[] = []
  if (name !== brands && !table.brand_not_null) faults.push(`${name}.brand_id may be null`)
  if (!table.rls) faults.push(`${name} has row security switched off`)
  if (!table.forced) faults.push(`${name} does not force row security on its owner`)
  const own = policies.filter((policy) => policy.table === name)
  for (const [policy, expression] of expectedPolicies(name)) {
    const found = own.find((each) => each.name === policy)
    if (!found) faults.push(`${name} lacks the policy ${policy}`)
    else if (found.covers !== 'all public permissive')
      faults.push(`policy ${policy} of ${name} covers ${found.covers}`)
    else {
      if (found.reads !== expression) faults.push(`policy ${policy} of ${name} reads with ${found.reads}`)
      if (found.writes !== expression) faults.push(`policy ${policy} of ${name} writes with ${found.writes}`)
    }
  }
  // Permissive policies add up: one more can only let more through.
  for (const { name: policy } of own)
    if (!expectedPolicies(name).has(policy)) faults.push(`${name} has another policy, ${policy}`)
  return faults
}

const expectedPolicies = (table: string): ReadonlyMap<string, string> =>
  new Map([
    ['tenant', `(${wallOf(table)} = ( SELECT platform.current_brand() AS current_brand))`],
    ['system', '( SELECT platform.is_system() AS is_system)'],
  ])

/** A unique index across workspaces reveals by its violation what another one holds. */
function faultsOfUnique({ table, name, columns }: Key): string[] {
  if (columns[0] === wallOf(table) || `${table}.${name}` in uniqueIndexes) return []
  return [`unique index ${name} of ${table} does not lead with ${wallOf(table)}`]
}

/** Checks of foreign keys ignore row security, so the key itself has to hold the workspace. */
function faultsOfForeign(key: ForeignKey, tenants: ReadonlySet<string>): string[] {
  const { table, name, columns, target, target_columns, indexed } = key
  const faults = indexed ? [] : [`foreign key ${name} of ${table} has no index`]
  if (!tenants.has(table) && !tenants.has(target)) return faults
  const holds = columns[0] === 'brand_id' && target_columns[0] === wallOf(target) && tenants.has(table)
  if (!holds && !(`${table}.${name}` in foreignKeys))
    faults.push(`foreign key ${name} of ${table} does not lead with brand_id`)
  return faults
}

async function openDoors(client: pg.Client, role: string): Promise<string[]> {
  const functions = await client.query<{ name: string }>(sql.definers)
  const views = await client.query<{ name: string; kind: string }>(sql.views, [libraries])
  const partitions = await client.query<{ name: string }>(sql.openPartitions, [role, libraries])
  const roles = await client.query<{ name: string }>(sql.mightyRoles, [role])
  return [
    ...functions.rows
      .filter(({ name }) => !(name in definerFunctions))
      .map(({ name }) => `function ${name} runs with the rights of its owner`),
    ...views.rows
      .filter(({ name }) => !(name in definerViews))
      .map(({ name, kind }) =>
        kind === 'm'
          ? `materialised view ${name} has no row security`
          : `view ${name} reads with the rights of its owner`,
      ),
    ...partitions.rows.map(({ name }) => `role ${role} reaches the partition ${name} itself`),
    ...roles.rows.map(({ name }) => `role ${role} passes row security, as ${name}`),
  ]
}
