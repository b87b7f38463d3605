import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { rulesFolder } from './alert-rules.ts'

/** The settings that are shipped, of which a drill replaces addresses. */
export function readExample(): string {
  const text = readFileSync(join(rulesFolder, 'prometheus.yml'), 'utf8').replaceAll('15s', '1s')
  // That exporter takes longer than a second.
  const patient = 'job_name: postgres\n    scrape_interval: 10s\n    scrape_timeout: 10s'
  return replaced(text, 'job_name: postgres', patient)
}

export function replaced(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`the example has no ${from}`)
  return text.replaceAll(from, to)
}

/** Minutes become seconds: what is shown is that the fault reaches the alert, not that minutes pass. */
const hasten = (rules: string): string =>
  rules.replaceAll(/^( +for: ).*$/gm, '$11s').replaceAll(/\[\d+m\]/g, '[20s]')

/** Prometheus with the rules that are shipped, and exporters beside it. */
export class Prometheus {
  readonly #folder: string
  readonly #log: number
  readonly #started: ChildProcess[] = []
  #url = ''

  constructor(folder: string) {
    this.#folder = folder
    this.#log = openSync(join(folder, 'log'), 'a')
  }

  /** A program whose output is in the same log, and which ends with it. */
  run(command: readonly string[], env: Record<string, string> = {}): ChildProcess {
    const [program = '', ...args] = command
    const stdio = ['ignore', this.#log, this.#log] as const
    const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: [...stdio] })
    this.#started.push(child)
    return child
  }

  /** Of a PostgreSQL. The sizes of databases would take seconds where tests have left hundreds. */
  runPostgresExporter(port: number, url: string): ChildProcess {
    const command = ['prometheus-postgres-exporter', '--no-collector.database']
    const env = { DATA_SOURCE_NAME: `${url}?sslmode=disable` }
    return this.run([...command, `--web.listen-address=127.0.0.1:${port}`], env)
  }

  async start(settings: string): Promise<void> {
    const rules = readFileSync(join(rulesFolder, 'crewhall.rules.yml'), 'utf8')
    writeFileSync(join(this.#folder, 'crewhall.rules.yml'), hasten(rules))
    writeFileSync(join(this.#folder, 'prometheus.yml'), settings)
    const port = await freePort()
    const files = [`--config.file=${this.#folder}/prometheus.yml`, `--storage.tsdb.path=${this.#folder}/data`]
    this.run(['prometheus', ...files, `--web.listen-address=127.0.0.1:${port}`])
    this.#url = `http://127.0.0.1:${port}/api/v1`
  }

  async query(expr: string): Promise<unknown[]> {
    return (await this.#ask<{ result: unknown[] }>(`query?query=${encodeURIComponent(expr)}`)).result
  }

  /** Names of alerts that fire now. */
  async firing(): Promise<string[]> {
    interface Told {
      readonly alerts: readonly { readonly state: string; readonly labels: { readonly alertname: string } }[]
    }
    const { alerts } = await this.#ask<Told>('alerts')
    const names = alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname)
    return [...new Set(names)]
  }

  /** The end of what all programs have said. */
  said = (): string => readFileSync(join(this.#folder, 'log'), 'utf8').slice(-3000)

  async stop(): Promise<void> {
    for (const child of this.#started) {
      const ended = once(child, 'close')
      if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await ended
    }
  }

  async #ask<T>(path: string): Promise<T> {
    const response = await fetch(`${this.#url}/${path}`)
    const { status, data, error } = (await response.json()) as { status: string; data: T; error?: string }
    if (status !== 'success') throw new Error(`${path}: ${error}`)
    return data
  }
}
