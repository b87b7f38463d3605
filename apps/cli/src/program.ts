import { Command, CommanderError } from 'commander'
import { wordsIn as aliasWords } from './commands/alias.rules.ts'
import { addCommonFlags } from './commands/common-flags.ts'
import { entries, groups } from './commands/entries.ts'
import type { RouteFlags } from './commands/route-command.ts'
import type { RouteEntry } from './commands/route-entry.ts'
import { loadRoute } from './commands/route-table.ts'
import type { SpecialCommand } from './commands/special-command.ts'
import { isName, specialCommands } from './commands/special-commands.ts'
import { type CommonFlags, Context } from './context.ts'
import type { Environment } from './environment.ts'
import { exitCodes } from './exit-codes.ts'
import { Failure, failed } from './failure.ts'
import type { Printer } from './output/printer.ts'
import { version } from './version.ts'

/** Flags of all commands that have a value: whoever looks for the command skips it. */
const valued = new Set([
  '--host',
  '--profile',
  '--board',
  '--jq',
  '--template',
  '-o',
  '--output',
  '--timeout',
])

/** Finds the command that is meant, and gives commander only that one in full: contracts of others are not looked at. */
export class Program {
  readonly #environment: Environment
  readonly #signal: AbortSignal
  #context: Context | undefined
  #code: number | undefined

  constructor(environment: Environment, signal: AbortSignal) {
    this.#environment = environment
    this.#signal = signal
  }

  /** Once flags are understood, it knows how errors are wanted. */
  get printer(): Printer | undefined {
    return this.#context?.printer
  }

  async run(given: readonly string[]): Promise<number> {
    const args = flagsLast(await this.#withoutAlias(flagsLast(given)))
    const words = wordsIn(args)
    const root = newCommand('crewhall')
      .description('The command line of Crewhall: boards, agents and desks of a workspace')
      .version(version, '-v, --version')
      .addHelpText('after', helpAfter)
    await this.#declareAll(root, words)
    try {
      if (args.length === 0) root.outputHelp()
      else await root.parseAsync([...args], { from: 'user' })
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error
      if (error.exitCode === 0 || error.code === 'commander.help') return exitCodes.ok.code
      throw new Failure('error', error.message.replace(/^error: /, ''), {
        remedy: `crewhall ${groupOf(words)}--help shows what there is`,
      })
    }
    return this.#code ?? exitCodes.ok.code
  }

  async #withoutAlias(args: readonly string[]): Promise<readonly string[]> {
    const [first = '', ...rest] = args
    if (first === '' || first.startsWith('-') || isName(first) || this.#environment.run) return args
    const { aliases } = await new Context(this.#environment, {}, this.#signal).profiles()
    const meant = Object.hasOwn(aliases, first) ? aliases[first] : undefined
    return meant === undefined ? args : [...(aliasWords(meant) ?? []), ...rest]
  }

  async #declareAll(root: Command, words: readonly string[]): Promise<void> {
    const parents = new Map<string, Command>()
    const parentOf = (group: string): Command => {
      const found = parents.get(group) ?? addGroup(root, group)
      parents.set(group, found)
      return found
    }
    const leaf = (path: string, hidden = false): Command => {
      const [first = '', second] = path.split(' ')
      return second === undefined ? addLeaf(root, first, hidden) : addLeaf(parentOf(first), second)
    }
    for (const name of Object.keys(groups)) parentOf(name)
    // Of another group than the one that is meant, its name is enough.
    const isNear = ({ words: path }: { words: string }) =>
      !path.includes(' ') || path.split(' ')[0] === words[0]
    for (const special of specialCommands.filter(isNear))
      this.#declareSpecial(leaf(special.words, special.is_hidden), special)
    const isMeant = ({ words: path }: RouteEntry) => path === words.slice(0, path.split(' ').length).join(' ')
    const needsSummaries = words.length < 2
    for (const entry of entries.filter(isNear)) {
      const command = leaf(entry.words)
      const isAsked =
        needsSummaries &&
        (words.length === 0 ? !entry.words.includes(' ') : words[0] === entry.words.split(' ')[0])
      if (isMeant(entry) || isAsked) await this.#declareRoute(command, entry, isMeant(entry))
    }
    if (words[0] === 'call' && words[1] !== undefined) await this.#declareCall(root, words[1])
  }

  #declareSpecial(command: Command, special: SpecialCommand): void {
    command.summary(special.summary).description(special.description ?? special.summary)
    special.declare?.(command)
    addCommonFlags(command).action(async (...given: unknown[]) => {
      const flags = given.at(-2) as CommonFlags
      const context = this.#contextFor(flags)
      if (flags.json === true && special.fields) return context.printer.text(`${special.fields.join('\n')}\n`)
      this.#code = await special.run(context, given.slice(0, -2).flat() as string[], flags)
    })
  }

  async #declareRoute(command: Command, entry: RouteEntry, inFull: boolean): Promise<void> {
    const route = await loadRoute(entry.route)
    if (!route) throw failed(`there is no route ${entry.route}`)
    if (!inFull) {
      command.summary(entry.summary ?? route.summary)
      return
    }
    const [{ RouteCommand }, { showResult }] = await Promise.all([
      import('./commands/route-command.ts'),
      import('./commands/show-result.ts'),
    ])
    const meant = new RouteCommand(route, entry)
    addCommonFlags(meant.declare(command)).action(async (...given: unknown[]) => {
      const flags = given.at(-2) as CommonFlags
      const context = this.#contextFor(flags)
      if (flags.json === true) return context.printer.text(`${meant.view.fields.join('\n')}\n`)
      const words = given.slice(0, -2).filter((word) => word !== undefined) as string[]
      if (entry.page && (flags as RouteFlags).web)
        return void (await (await import('./commands/open.ts')).openPage(context, entry.page, words[0]))
      if (entry.handler)
        this.#code = await (await entry.handler())(context, meant, words, flags as RouteFlags)
      else
        await showResult(
          context,
          meant,
          await meant.run(context, words, flags as RouteFlags),
          flags as RouteFlags,
        )
    })
  }

  async #declareCall(root: Command, name: string): Promise<void> {
    const parent = root.commands.find((each) => each.name() === 'call')
    const route = await loadRoute(name)
    if (parent && route)
      await this.#declareRoute(addLeaf(parent, name), { words: `call ${name}`, route: route.id }, true)
  }

  #contextFor(flags: CommonFlags): Context {
    this.#context = new Context(this.#environment, flags, this.#signal)
    return this.#context
  }
}

const newCommand = (name: string): Command =>
  new Command(name)
    .exitOverride()
    // A flag after a method of `call` is one of the method.
    .enablePositionalOptions()
    .configureOutput({
      outputError: () => undefined,
      getOutHelpWidth: () => helpWidth(),
      getErrHelpWidth: () => helpWidth(),
    })
    .showSuggestionAfterError(true)
    .helpCommand(false)

const helpWidth = (): number => Math.min(process.stdout.columns ?? 100, 120)

function addGroup(root: Command, name: string): Command {
  const group = newCommand(name)
    .summary(groups[name] ?? '')
    .description(groups[name] ?? '')
  root.addCommand(group)
  return group
}

function addLeaf(parent: Command, name: string, hidden = false): Command {
  const leaf = newCommand(name)
  parent.addCommand(leaf, { hidden })
  return leaf
}

/** `crewhall --board CORE card list`: flags of all commands may stand before the command. */
function flagsLast(args: readonly string[]): readonly string[] {
  const at = args.findIndex((arg, index) => !arg.startsWith('-') && !valued.has(args[index - 1] ?? ''))
  if (at < 1) return args
  const [before, after] = [args.slice(0, at), args.slice(at)]
  const end = after.indexOf('--')
  return end < 0 ? [...after, ...before] : [...after.slice(0, end), ...before, ...after.slice(end)]
}

/** The words before the first one that is a value. */
function wordsIn(args: readonly string[]): string[] {
  const words: string[] = []
  for (let at = 0; at < args.length && words.length < 2; at += 1) {
    const arg = args[at] ?? ''
    if (arg === '--') break
    if (!arg.startsWith('-')) words.push(arg)
    else if (valued.has(arg)) at += 1
  }
  return words
}

const groupOf = ([first = '', second = '']: readonly string[]): string => {
  if (!isName(first)) return ''
  const path = `${first} ${second}`
  return [...entries, ...specialCommands].some(({ words }) => words === path) ? `${path} ` : `${first} `
}

const helpAfter = `
Settings:
  CREWHALL_TOKEN, CREWHALL_HOST, CREWHALL_PROFILE and CREWHALL_BOARD count before files;
  .crewhall.yaml links a folder to a board, and profiles hold the rest.

Exit codes:
${Object.values(exitCodes)
  .map(({ code, meaning }) => `  ${code}  ${meaning}`)
  .join('\n')}`
