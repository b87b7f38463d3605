import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parse } from 'yaml'

export const root = resolve(import.meta.dirname, '../../..')
export const rulesFolder = join(root, 'deploy/production/prometheus')
const dashboardsFolder = join(root, 'deploy/production/grafana')

export interface AlertRule {
  readonly alert: string
  readonly expr: string
  readonly for: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly runbook: string }
}

interface RulesFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly AlertRule[] }[]
}

export const readAlerts = (): AlertRule[] => {
  const file = parse(readFileSync(join(rulesFolder, 'crewhall.rules.yml'), 'utf8')) as RulesFile
  return file.groups.flatMap(({ rules }) => rules)
}

export interface DashboardQuery {
  readonly dashboard: string
  readonly panel: string
  readonly expr: string
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string
    readonly targets: readonly { readonly expr: string }[]
  }[]
}

export const readQueries = (): DashboardQuery[] =>
  readdirSync(dashboardsFolder).flatMap((dashboard) => {
    const { panels } = JSON.parse(readFileSync(join(dashboardsFolder, dashboard), 'utf8')) as Dashboard
    return panels.flatMap(({ title, targets }) =>
      targets.map(({ expr }) => ({ dashboard, panel: title, expr })),
    )
  })

/** Metrics that an expression names, without what makes a histogram of one. */
export const metricsIn = (expr: string): string[] => {
  const bare = expr.replaceAll(/"[^"]*"/g, '""').replaceAll(/\b(?:by|on)\s*\([^)]*\)/g, '')
  const names = bare.matchAll(/\b(?:crewhall|pg|patroni|node|probe|nodejs|process)_\w+|\bup\b/g)
  return [...new Set([...names].map(([name]) => name.replace(/_(bucket|count|sum)$/, '')))]
}
