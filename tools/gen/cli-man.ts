import { type Described, describeCommands } from '@crewhall/cli/commands/describe.ts'
import { groups } from '@crewhall/cli/commands/entries.ts'
import { specialCommands } from '@crewhall/cli/commands/special-commands.ts'
import { variables } from '@crewhall/cli/environment.ts'
import { exitCodes } from '@crewhall/cli/exit-codes.ts'

/** Pages of the manual by file: one for the program, and one for each group of commands. */
export async function cliManual(): Promise<Map<string, string>> {
  const all = await describeCommands(specialCommands)
  const common = (all[0]?.options ?? []).filter(({ is_common }) => is_common)
  const pages = new Map([
    [
      'docs/man/crewhall.1',
      mainPage(
        all.filter(({ words }) => !words.includes(' ')),
        common,
      ),
    ],
  ])
  for (const [name, summary] of Object.entries(groups))
    pages.set(
      `docs/man/crewhall-${name}.1`,
      page(`crewhall-${name}`, summary, [
        '.SH COMMANDS',
        ...all.filter(({ words }) => words.startsWith(`${name} `)).flatMap(commandLines),
        '.SH SEE ALSO',
        '.BR crewhall (1),',
        'for flags of all commands, settings and exit codes',
      ]),
    )
  return pages
}

function mainPage(all: readonly Described[], common: Described['options']): string {
  return page('crewhall', 'boards, agents and desks of a workspace', [
    '.SH SYNOPSIS',
    '.B crewhall',
    text('<command> [arguments] [flags]'),
    '.SH GROUPS OF COMMANDS',
    ...Object.entries(groups).flatMap(([name, summary]) => [
      '.TP',
      `.BR crewhall\\-${text(name)} (1)`,
      text(summary),
    ]),
    '.SH COMMANDS',
    ...all.flatMap(commandLines),
    '.SH FLAGS OF ALL COMMANDS',
    ...common.flatMap(optionLines),
    '.SH ENVIRONMENT',
    ...Object.entries(variables).flatMap(([name, told]) => ['.TP', `.B ${text(name)}`, text(told)]),
    '.SH EXIT STATUS',
    ...Object.values(exitCodes).flatMap(({ code, meaning }) => ['.TP', `.B ${code}`, text(meaning)]),
  ])
}

const page = (name: string, summary: string, lines: readonly string[]): string =>
  [
    '.\\" Generated from apps/cli and the contracts by `npm run gen`.',
    `.TH ${text(name.toUpperCase())} 1`,
    '.SH NAME',
    `${text(name)} \\- ${text(summary)}`,
    ...lines,
    '',
  ].join('\n')

const commandLines = ({ usage, summary, description, options }: Described): string[] => [
  `.SS ${text(usage)}`,
  ...paragraphs(description === '' ? summary : description),
  ...options.filter(({ is_common }) => !is_common).flatMap(optionLines),
]

const optionLines = ({ flags, description }: Described['options'][number]): string[] => [
  '.TP',
  `.B ${text(flags)}`,
  ...paragraphs(description),
]

const paragraphs = (words: string): string[] =>
  words.split('\n').map((line) => (line.trim() === '' ? '.sp' : text(line.trim())))

/** Nothing of a text is taken for a request: not a backslash, and no full stop or quote at its beginning. */
const text = (words: string): string =>
  words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('\n', ' ')
    .replace(/^(?=[.'])/, '\\&')
