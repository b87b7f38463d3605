import { styleText } from 'node:util'
import { exitCodes } from '../exit-codes.ts'
import { Failure, failed } from '../failure.ts'
import { runJq } from './jq.ts'
import type { Output } from './outputs.ts'
import { tableLines } from './table.ts'
import { at, fillTemplate, plain } from './template.ts'
import { itemsIn, type View } from './view.ts'
import { visibleJson, visibleLine, visibleText } from './visible.ts'

export interface Stream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

export interface Wishes {
  readonly output?: Output | undefined
  /** Fields of `--json`. */
  readonly fields?: readonly string[] | undefined
  readonly jq?: string | undefined
  readonly template?: string | undefined
  readonly quiet?: boolean | undefined
  readonly no_color?: boolean | undefined
}

/** The one place that prints: data to standard output, all else to standard error. */
export class Printer {
  readonly #out: Stream
  readonly #err: Stream
  readonly #wishes: Wishes

  constructor(out: Stream, err: Stream, wishes: Wishes) {
    this.#out = out
    this.#err = err
    this.#wishes = wishes
  }

  get isTerminal(): boolean {
    return this.#out.isTTY === true
  }

  /** A body of a response, as the caller wants it. */
  async result(body: unknown, view: View): Promise<void> {
    const { fields, jq, template, quiet } = this.#wishes
    const value = fields ? selected(body, view, fields) : body
    if (jq !== undefined) return this.#filtered(value, jq)
    if (template !== undefined) return this.#data(fillTemplate(template, value))
    if (fields) return this.#json(value)
    if (quiet) return
    const output = this.#wishes.output ?? (this.isTerminal ? 'table' : 'tsv')
    if (output === 'json') return this.#json(value)
    if (output === 'yaml') return this.#data(await yamlOf(value))
    const items = itemsIn(value, view.list)
    if (items) this.#list(items, view, output)
    else this.#one(value, output)
  }

  /** One item of a list that goes on: a line by itself. */
  async row(item: unknown, view: View): Promise<void> {
    if (this.#wishes.quiet) return
    const cells = view.columns.map((name) => visibleLine(plain(at(item, name.split('.')))))
    this.#out.write(`${cells.join(this.isTerminal ? '  ' : '\t')}\n`)
  }

  /** The same with another form, where the caller has not said one. */
  or(output: Output): Printer {
    return new Printer(this.#out, this.#err, { ...this.#wishes, output: this.#wishes.output ?? output })
  }

  /** A line of data that is no response, such as a token that is shown once. */
  line(text: string): void {
    this.#out.write(`${visibleLine(text)}\n`)
  }

  /** Text of several lines. */
  text(text: string): void {
    this.#data(text)
  }

  bytes(bytes: Uint8Array): void {
    ;(this.#out as unknown as NodeJS.WriteStream).write(bytes)
  }

  /** A word to somebody at the terminal; a log file gets none. */
  note(text: string): void {
    if (this.#err.isTTY && !this.#wishes.quiet) this.#err.write(`${visibleLine(text)}\n`)
  }

  /** What has to be said wherever standard error goes. */
  warn(text: string): void {
    this.#err.write(`${visibleLine(text)}\n`)
  }

  /** Tells what went wrong, and returns the code to end with. */
  fail(error: unknown): number {
    const failure = error instanceof Failure ? error : faultOf(error)
    const { ending, message, detail, status, request_id, remedy } = failure
    const wantsJson = this.#wishes.fields !== undefined || this.#wishes.output === 'json'
    if (wantsJson) {
      const told = {
        error: message,
        detail: detail ?? null,
        status: status ?? null,
        request_id: request_id ?? null,
      }
      this.#err.write(`${visibleJson(JSON.stringify(told))}\n`)
    } else {
      const request = request_id === undefined ? '' : ` (request ${request_id})`
      this.warn(`crewhall: ${message}${request}`)
      if (remedy !== undefined) this.warn(`  ${remedy}`)
    }
    return exitCodes[ending].code
  }

  /** As jq itself does it: what came before an error is printed as well. */
  async #filtered(value: unknown, filter: string): Promise<void> {
    const { out, complaint } = await runJq(JSON.stringify(value), filter)
    this.#data(out)
    if (complaint !== '') throw failed(`--jq: ${complaint.split('\n', 1)[0]?.replace(/^jq: /, '')}`)
  }

  #list(items: readonly unknown[], view: View, output: Output): void {
    const rows = items.map((item) =>
      view.columns.map((name) => visibleLine(plain(at(item, name.split('.'))))),
    )
    if (output === 'tsv') {
      for (const row of rows) this.#out.write(`${row.join('\t')}\n`)
    } else if (output === 'md') {
      const cells = [view.columns, view.columns.map(() => '---'), ...rows.map((row) => row.map(inMarkdown))]
      for (const row of cells) this.#out.write(`| ${row.join(' | ')} |\n`)
    } else if (rows.length === 0) this.note('Nothing found.')
    else {
      const columns = this.#out.columns ?? 80
      const lines = tableLines(view.columns, rows, { columns, head: (text) => this.#styled('bold', text) })
      this.#out.write(`${lines.join('\n')}\n`)
    }
  }

  #one(value: unknown, output: Output): void {
    if (typeof value !== 'object' || value === null) {
      if (value !== undefined) this.#data(plain(value))
      return
    }
    const entries = Object.entries(value).filter(([, each]) => isTold(each))
    const text = (each: unknown) => (output === 'tsv' ? visibleLine(plain(each)) : visibleText(plain(each)))
    if (output === 'tsv') {
      for (const [name, each] of entries) this.#out.write(`${name}\t${text(each)}\n`)
    } else if (output === 'md') {
      for (const [name, each] of entries) {
        const said = text(each)
        this.#out.write(
          said.includes('\n') ? `\n## ${name}\n\n${said}\n` : `- **${name}**: ${inMarkdown(said)}\n`,
        )
      }
    } else {
      const long = entries.filter(([, each]) => text(each).includes('\n'))
      const brief = entries.filter(([, each]) => !text(each).includes('\n'))
      const width = Math.max(0, ...brief.map(([name]) => name.length))
      for (const [name, each] of brief)
        this.#out.write(`${this.#styled('bold', name.padEnd(width))}  ${text(each)}\n`)
      for (const [name, each] of long) this.#out.write(`\n${this.#styled('bold', name)}\n${text(each)}\n`)
    }
  }

  #json(value: unknown): void {
    const text = this.isTerminal ? JSON.stringify(value, null, 2) : JSON.stringify(value)
    this.#out.write(`${visibleJson(text ?? 'null')}\n`)
  }

  /** Bytes of a script stay as they are; a terminal gets only what can be seen. */
  #data(text: string): void {
    const shown = this.isTerminal ? visibleText(text) : text
    if (shown !== '') this.#out.write(shown.endsWith('\n') ? shown : `${shown}\n`)
  }

  #styled(style: 'bold' | 'dim', text: string): string {
    return this.isTerminal && !this.#wishes.no_color
      ? styleText(style, text, { validateStream: false })
      : text
  }
}

const isTold = (value: unknown): boolean =>
  value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)

const inMarkdown = (text: string): string => text.replaceAll(/[\\`*_{}[\]<>|#]/g, '\\$&')

/** A bug is told in a line, and never with what it was working on. */
function faultOf(error: unknown): Failure {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) }
  return new Failure('error', `${name}: ${message.split('\n', 1)[0]?.slice(0, 300)}`)
}

/** The items of a list, or the one thing, with these fields only; an unknown name is refused with the known ones. */
function selected(body: unknown, view: View, fields: readonly string[]): unknown {
  const items = itemsIn(body, view.list)
  const pick = (item: unknown) =>
    Object.fromEntries(fields.map((name) => [name, at(item, name.split('.')) ?? null]))
  const samples = Array.isArray(items) ? items.slice(0, 1) : [body]
  const isKnown = (name: string) =>
    view.fields.includes(name.split('.')[0] ?? '') ||
    samples.some((each) => typeof each === 'object' && each !== null && (name.split('.')[0] ?? '') in each)
  const unknown = fields.filter((name) => !isKnown(name))
  if (unknown.length > 0)
    throw failed(`--json: there is no field ${unknown.join(', ')}; fields are ${view.fields.join(', ')}`)
  return Array.isArray(items) ? items.map(pick) : pick(body)
}

/** Text with signs that cannot be seen is quoted, where they can be written out. */
async function yamlOf(value: unknown): Promise<string> {
  const { stringify, Scalar } = await import('yaml')
  const quoted = (_: unknown, each: unknown) => {
    if (typeof each !== 'string' || visibleText(each) === each) return each
    const scalar = new Scalar(each)
    scalar.type = 'QUOTE_DOUBLE'
    return scalar
  }
  return visibleJson(stringify(value, quoted, { lineWidth: 0 }))
}
