import { entries, groups } from '@crewhall/cli/commands/entries.ts'
import { specialCommands } from '@crewhall/cli/commands/special-commands.ts'
import { variables } from '@crewhall/cli/environment.ts'
import { exitCodes } from '@crewhall/cli/exit-codes.ts'
import { outputs } from '@crewhall/cli/output/outputs.ts'
import { allRoutes } from '@crewhall/contracts/routes.ts'

interface Line {
  readonly usage: string
  readonly summary: string
  readonly route: string
}

/** Every command with what its contract says, so that the page cannot say anything else. */
function lines(): Map<string, Line[]> {
  const routed = entries.map(({ words, route, takes = [], summary: own }) => {
    const given = takes.map((name) => {
      const word = name.replace('?', '').replace(/_id$/, '').replace('task', 'card').replaceAll('_', '-')
      return name.endsWith('?') ? `[${word}]` : `<${word}>`
    })
    const summary = own ?? allRoutes.find(({ id }) => id === route)?.summary
    if (summary === undefined) throw new Error(`crewhall ${words} stands for ${route}, which there is not`)
    return { words, usage: ['crewhall', words, ...given].join(' '), summary, route }
  })
  const special = specialCommands
    .filter(({ is_hidden }) => !is_hidden)
    .map(({ words, summary }) => ({ words, usage: `crewhall ${words}`, summary, route: '' }))
  const groupOf = ({ words }: { words: string }) => (words.includes(' ') ? (words.split(' ')[0] ?? '') : '')
  return Map.groupBy([...special, ...routed], groupOf)
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

const table = (all: readonly Line[]): string[] => [
  '| Command | What it does | Method |',
  '|---|---|---|',
  ...all.map(
    ({ usage, summary, route }) => `| \`${usage}\` | ${cell(summary)} | ${route ? `\`${route}\`` : ''} |`,
  ),
  '',
]

export function cliDocs(): string {
  const all = lines()
  return [
    '# The command line',
    '',
    'Generated from `apps/cli` and the contracts by `npm run gen`. `crewhall <command> --help` lists the flags of a command,',
    'with their choices and limits.',
    '',
    '## Install',
    '',
    'The archive needs Node 26 and nothing else; `crewhall.mjs` of it also works alone, without `--jq`.',
    '',
    '```sh',
    'npm install --global ./crewhall-<version>.tgz   # the program, jq and the manual: man crewhall-card',
    'source <(crewhall completion bash)              # or zsh, fish and powershell',
    '```',
    '',
    '## Sign in',
    '',
    '```sh',
    'crewhall auth login --host crew.example   # shows a code that you confirm in a browser',
    'crewhall link --board CORE   # this folder is about the board CORE',
    'crewhall doctor              # what is missing, and what to do about it',
    '```',
    '',
    'You get a session, which may do what you may; `--scopes` makes a token instead, and `--with-token` reads one from standard',
    'input. Desks and hires need a session. What you get is kept in the keyring (`secret-tool`, `security`) or in a file that',
    'only you can read. `crewhall auth logout` ends it on the server as well.',
    'What counts, in this order: a flag, the environment, `.crewhall.yaml` of the folder, the profile.',
    '',
    '| Variable | What it holds |',
    '|---|---|',
    ...Object.entries(variables).map(([names, told]) => `| ${names.replaceAll(/\w+/g, '`$&`')} | ${told} |`),
    '',
    '## Results',
    '',
    'Data goes to standard output, all else to standard error. On a terminal a list is a table; piped, it is lines of',
    'tab-separated values without a head. Signs that cannot be seen are written out (`\\u{202e}`).',
    '',
    '| Flag | Result |',
    '|---|---|',
    '| `--json a,b` | these fields as JSON, and errors as one JSON object; without a value, the fields there are |',
    '| `--jq <filter>` | what `jq -r -c` makes of the response |',
    '| `--template <text>` | `{{.a.b}}`, `{{json .a}}`, `{{range .items}}…{{else}}…{{end}}`, `{{if .a}}…{{end}}` |',
    `| \`-o <form>\` | ${outputs.map((each) => `\`${each}\``).join(', ')} |`,
    '| `--limit <number>`, `--all` | how many items of a list; 30 by default |',
    '| `--web` | the page of the dashboard instead, in a browser; piped, its address |',
    '| `--quiet` | nothing that was not asked for |',
    '',
    'Requests that failed for a passing reason (429, 502, 503, 504, a cut connection) are repeated, writes with the same',
    '`Idempotency-Key`. What takes something away asks first; a script says `--yes`.',
    '',
    '## Exit codes',
    '',
    '| Code | Meaning |',
    '|---|---|',
    ...Object.values(exitCodes).map(({ code, meaning }) => `| ${code} | ${meaning} |`),
    '',
    '`crewhall run` ends with the code of its command.',
    '',
    '## Commands',
    '',
    ...table(all.get('') ?? []),
    ...Object.entries(groups).flatMap(([name, summary]) => [
      `### ${name}: ${summary}`,
      '',
      ...table(all.get(name) ?? []),
    ]),
  ].join('\n')
}
