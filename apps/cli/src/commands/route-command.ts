import { isEventStream, mediaTypesOf } from '@crewhall/contracts/bytes.ts'
import { type AnyRoute, isRead, successStatus, takesDryRun } from '@crewhall/contracts/route.ts'
import { type Argument, argumentsOf } from '@crewhall/contracts/tools/arguments.ts'
import { type Command, Option } from 'commander'
import type { CommonFlags, Context } from '../context.ts'
import { failed } from '../failure.ts'
import { type View, viewOf } from '../output/view.ts'
import type { Answer, RouteInput } from '../transport/caller.ts'
import { boardId, chosenBoard } from './board-names.ts'
import { amountOf, pagingFields, readList } from './paging.ts'
import { confirmed } from './questions.ts'
import type { RouteEntry } from './route-entry.ts'
import { fileFrom, refuseToken, textFrom } from './route-inputs.ts'
import { jsonOf, mostCharacters, typedValue, typesOf, wordsFor } from './values.ts'

/** Texts of this length and more are given as a file as well. */
const longText = 2000

export interface RouteFlags extends CommonFlags {
  readonly limit?: string
  readonly all?: boolean
  readonly dryRun?: boolean
  readonly ifMatch?: string
  readonly input?: boolean
  readonly bodyJson?: string
  readonly file?: string
  readonly toFile?: string
  readonly web?: boolean
  readonly [flag: string]: unknown
}

const kebab = (name: string): string => name.replaceAll('_', '-')
const camel = (name: string): string =>
  name.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase())

interface Field extends Argument {
  readonly flag: string
  /** The object of the body that it is a field of. */
  readonly within?: string
}

/** A command that stands for a route: its arguments, flags, help and refusals are those of the contract. */
export class RouteCommand {
  readonly route: AnyRoute
  readonly entry: RouteEntry
  readonly view: View
  readonly fields: readonly Field[]

  constructor(route: AnyRoute, entry: RouteEntry) {
    this.route = route
    this.entry = entry
    const view = viewOf(route, entry.columns, entry.list)
    this.view = entry.is_one ? { ...view, list: undefined } : view
    const fixed = new Set([...Object.keys(entry.fixed ?? {}), ...(entry.omits ?? [])])
    const paging: ReadonlySet<string> = this.view.list === undefined ? new Set() : new Set(pagingFields)
    this.fields = argumentsOf({ name: '', route, summary: route.summary })
      .filter(({ place }) => ['params', 'query', 'body', 'whole_body'].includes(place))
      .filter(({ place, field }) => !(place === 'query' && (paging.has(field) || field === 'dry_run')))
      .filter(({ field }) => !fixed.has(field))
      .flatMap((argument) => (argument.field === entry.spreads ? spread(argument) : [argument]))
      .map((argument) => ({ ...argument, flag: flagOf(argument, entry) }))
  }

  /** Adds its arguments and flags to the command. */
  declare(command: Command): Command {
    const { route, entry } = this
    command
      .summary(entry.summary ?? route.summary)
      .description([entry.summary ?? route.summary, route.description].filter(Boolean).join('.\n\n'))
    for (const name of entry.takes ?? []) {
      const optional = name.endsWith('?')
      const field = this.fields.find((each) => each.field === name.replace('?', ''))
      const word = wordFor(name.replace('?', ''))
      command.argument(optional ? `[${word}]` : `<${word}>`, field ? wordsFor(field.schema) : '')
    }
    for (const field of this.#flagged()) this.#declareFlag(command, field)
    for (const [name, help] of Object.entries(entry.switches ?? {})) command.option(`--${name}`, help)
    if (route.body)
      command.option('--body-json <file>', 'the whole body as JSON, from a file or - for standard input')
    if (route.upload)
      command.requiredOption('--file <path>', `the file to send, at most ${route.upload.max_bytes} bytes`)
    if (this.isBinary) command.option('--to-file <path>', 'write the result there instead of standard output')
    if (route.versioned) command.option('--if-match <version>', 'only if the card still has this version')
    if (takesDryRun(route) && !isRead(route))
      command.option('--dry-run', 'check everything and write nothing')
    if (this.view.list !== undefined) {
      command.option('--limit <number>', 'how many to show', undefined)
      command.option('--all', 'show all of them')
    }
    if (entry.page) command.option('--web', 'open it in a browser; piped, print its address')
    if (this.isDestructive) command.option('-y, --yes', 'do not ask before something is taken away')
    return command
  }

  get isBinary(): boolean {
    const schema = this.route.responses[successStatus(this.route)]
    return schema !== undefined && mediaTypesOf(schema) !== undefined && !isEventStream(schema)
  }

  get isDestructive(): boolean {
    return this.entry.destroys ?? this.route.method === 'DELETE'
  }

  /** Fields that are given by flags; the board and the workspace are known without. */
  #flagged(): Field[] {
    const byPosition = new Set((this.entry.takes ?? []).map((name) => name.replace('?', '')))
    return this.fields.filter(({ field, place }) => !byPosition.has(field) && !isKnown(place, field))
  }

  #declareFlag(command: Command, { flag, schema, place }: Field): void {
    const isSwitch = typesOf(schema).join() === 'boolean'
    const value = isSwitch ? '[true|false]' : `<${place === 'whole_body' ? 'json' : placeholderOf(schema)}>`
    const told = typeof schema.description === 'string' ? `${schema.description}: ` : ''
    const standard = schema.default === undefined ? '' : ` (default ${JSON.stringify(schema.default)})`
    command.addOption(new Option(`--${flag} ${value}`, `${told}${wordsFor(schema)}${standard}`))
    if (place === 'body' && (mostCharacters(schema) ?? 0) >= longText)
      command.addOption(new Option(`--${flag}-file <path>`, `the same from a file, or - for standard input`))
  }

  /** The request that these words and flags stand for, checked by the contract before anything is sent. */
  async input(
    context: Context,
    positional: readonly unknown[],
    flags: RouteFlags,
    known: Readonly<Record<string, unknown>> = {},
  ): Promise<RouteInput> {
    const { route, entry } = this
    const given: Record<'params' | 'query' | 'body', Record<string, unknown>> = {
      params: {},
      query: {},
      body: {},
    }
    for (const [name, value] of Object.entries(entry.fixed ?? {})) {
      const field = argumentsOf({ name: '', route, summary: '' }).find((each) => each.field === name)
      if (field?.place === 'body' || field?.place === 'query') given[field.place][name] = value
    }
    for (const { place, field } of this.fields)
      if (known[field] !== undefined && isPlace(place)) given[place][field] = known[field]
    let whole: unknown
    const takes = (entry.takes ?? []).map((name) => name.replace('?', ''))
    for (const field of this.fields) {
      const text = await this.#textOf(field, takes, positional, flags)
      if (field.place === 'whole_body')
        whole = text === undefined ? undefined : jsonOf(`--${field.flag}`, text)
      else if (text !== undefined && field.within !== undefined) {
        const inner = (given.body[field.within] ?? {}) as Record<string, unknown>
        given.body[field.within] = {
          ...inner,
          [field.field]: typedValue(`--${field.flag}`, text, field.schema),
        }
      } else if (text !== undefined && isPlace(field.place))
        given[field.place][field.field] =
          field.place === 'body' ? typedValue(`--${field.flag}`, text, field.schema) : text
    }
    if (flags.bodyJson !== undefined) {
      const read = jsonOf('--body-json', await textFrom(flags.bodyJson))
      if (typeof read === 'object' && read !== null && !Array.isArray(read)) Object.assign(given.body, read)
      else whole = read
    }
    await this.#fillKnown(context, given)
    const body = route.body ? (whole ?? bodyFrom(route, given.body)) : undefined
    this.#check(given, body)
    return {
      params: given.params,
      query: { ...given.query, ...(flags.dryRun ? { dry_run: 'true' } : {}) },
      ...(body === undefined ? {} : { body }),
      ...(flags.file === undefined ? {} : { file: await fileFrom(flags.file) }),
      ...(flags.ifMatch === undefined ? {} : { if_match: `"${flags.ifMatch.replaceAll('"', '')}"` }),
    }
  }

  async #textOf(
    field: Field,
    takes: readonly string[],
    positional: readonly unknown[],
    flags: RouteFlags,
  ): Promise<string | undefined> {
    const at = takes.indexOf(field.field)
    if (at >= 0 && positional[at] !== undefined) return String(positional[at])
    const file = flags[camel(`${field.flag}-file`)]
    const value = flags[camel(field.flag)]
    if (typeof file === 'string') {
      if (value !== undefined) throw failed(`--${field.flag} and --${field.flag}-file exclude each other`)
      return textFrom(file)
    }
    return value === undefined ? undefined : value === true ? 'true' : String(value)
  }

  /** What a caller need not say: the workspace of the sign-in, and the board that was chosen. */
  async #fillKnown(
    context: Context,
    given: Record<'params' | 'query' | 'body', Record<string, unknown>>,
  ): Promise<void> {
    for (const { place, field } of this.fields) {
      if (place === 'params' && field === 'brand_id')
        given.params.brand_id = String(await context.workspace())
      if (place === 'params' && field === 'board_id')
        given.params.board_id =
          given.params.board_id === undefined
            ? await chosenBoard(context)
            : await boardId(context, String(given.params.board_id))
    }
  }

  #check(given: Record<'params' | 'query' | 'body', Record<string, unknown>>, body: unknown): void {
    const { route } = this
    for (const place of ['params', 'query', 'body'] as const) {
      const value = place === 'body' ? body : textsOf(given[place])
      const result = route[place]?.safeParse(value)
      if (!result || result.success) continue
      const [issue] = result.error.issues
      const name = String(issue?.path[0] ?? '')
      const field = this.fields.find((each) => each.field === name && each.place === place)
      const isMissing = name !== '' && (value as Record<string, unknown> | undefined)?.[name] === undefined
      const said = field ? this.#saidAs(field) : name || place
      throw failed(`${said}: ${isMissing ? 'is needed' : issue?.message}`)
    }
  }

  #saidAs({ field, flag }: Field): string {
    const at = (this.entry.takes ?? []).findIndex((name) => name.replace('?', '') === field)
    return at >= 0 ? `<${wordFor(field)}>` : `--${flag}`
  }

  async run(context: Context, positional: readonly unknown[], flags: RouteFlags): Promise<Answer> {
    const { route } = this
    const input = await this.checked(context, positional, flags)
    if (this.isDestructive && !flags.dryRun)
      await confirmed(context, `${route.summary}: ${Object.values(input.params ?? {}).join(' ')}?`)
    return this.send(context, input, flags)
  }

  /** The input of a call that this sign-in may make at all. */
  async checked(context: Context, positional: readonly unknown[], flags: RouteFlags): Promise<RouteInput> {
    refuseToken(this.route, await context.token())
    return this.input(context, positional, flags)
  }

  async send(context: Context, input: RouteInput, flags: RouteFlags): Promise<Answer> {
    const { route, view } = this
    const isOpen = route.auth.kind === 'nobody'
    const caller = await context.caller({ anonymous: isOpen })
    if (view.list === undefined) return caller.call(route, input)
    const { answer, total, has_more } = await readList(caller, route, input, view.list, amountOf(flags))
    if (has_more)
      context.printer.note(
        `There are more${total === undefined ? '' : `: ${total} in all`}; --all shows them.`,
      )
    return answer
  }
}

/** The fields of an object in the body, each for itself. */
const spread = (argument: Argument): (Argument & { within: string })[] =>
  Object.entries((argument.schema.properties ?? {}) as Record<string, Record<string, unknown>>).map(
    ([field, schema]) => ({
      ...argument,
      name: field,
      field,
      schema,
      is_required: false,
      within: argument.field,
    }),
  )

const isPlace = (place: string): place is 'params' | 'query' | 'body' =>
  ['params', 'query', 'body'].includes(place)

/** The board is one of the flags of all commands. */
const isKnown = (place: string, field: string): boolean =>
  place === 'params' && ['brand_id', 'board_id'].includes(field)

function flagOf({ place, name, field }: Argument, { flags = {} }: RouteEntry): string {
  const own = flags[field]
  if (own !== undefined) return own
  if (place === 'whole_body') return 'body'
  // Names of flags that all commands have.
  return [
    'output',
    'json',
    'jq',
    'template',
    'limit',
    'all',
    'yes',
    'quiet',
    'host',
    'profile',
    'board',
    'file',
  ].includes(name)
    ? `set-${kebab(name)}`
    : kebab(name)
}

const wordFor = (field: string): string =>
  ({ task_id: 'card', board_id: 'board', other_id: 'other' })[field] ?? kebab(field.replace(/_id$/, ''))

const placeholderOf = (schema: Record<string, unknown>): string => {
  const types = typesOf(schema)
  if (types.includes('array')) return 'a,b'
  if (types.includes('integer') || types.includes('number')) return 'number'
  return types.includes('object') || types.includes('any') ? 'json' : 'text'
}

const textsOf = (values: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))

/** None, where nothing was said and the contract lets it be absent. */
function bodyFrom({ body }: AnyRoute, fields: Readonly<Record<string, unknown>>): unknown {
  return Object.keys(fields).length === 0 && body?.safeParse(undefined).success ? undefined : fields
}
