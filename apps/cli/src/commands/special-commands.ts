import { entries, groups } from './entries.ts'
import type { SpecialCommand } from './special-command.ts'
import { statusFields } from './status-fields.ts'

/** Commands that are more than one route; each loads its code when it runs. */
export const specialCommands: readonly SpecialCommand[] = [
  {
    words: 'auth login',
    summary: 'Sign in to a service',
    description:
      'Sign in as yourself: the command shows a code, which you confirm in a browser. With --scopes the result is an access token with these scopes instead of a session. A token that you have is read from standard input, never from an argument:\n\n  crewhall auth login --host crew.example\n  crewhall auth login --host crew.example --with-token < token',
    declare: (command) =>
      command
        .option('--with-token', 'read an access token from standard input')
        .option('--scopes <a,b>', 'get a token with these scopes instead of a session')
        .option('-w, --web', 'open the page in a browser')
        .option('--set-board <board>', 'board of this sign-in'),
    run: async (...given) => (await import('./auth.ts')).login(...given),
  },
  {
    words: 'auth status',
    fields: statusFields,
    summary: 'Show host, person, workspace, scopes and end of the sign-in',
    run: async (...given) => (await import('./auth.ts')).status(given[0]),
  },
  {
    words: 'auth switch',
    fields: ['name', 'host', 'board', 'current'],
    summary: 'Use another profile',
    declare: (command) => command.argument('[name]', 'profile; without it they are listed'),
    run: async (...given) => (await import('./auth.ts')).switchProfile(given[0], given[1]),
  },
  {
    words: 'auth logout',
    summary: 'Forget a sign-in, and end it on the server',
    declare: (command) =>
      command
        .option('--keep-token', 'let the session or token live on the server')
        .option('-y, --yes', 'do not ask'),
    run: async (...given) => (await import('./auth.ts')).logout(...given),
  },
  {
    words: 'alias list',
    summary: 'List the aliases',
    fields: ['name', 'expansion'],
    run: async (...given) => (await import('./alias.ts')).listAliases(given[0]),
  },
  {
    words: 'alias set',
    summary: 'Give a command a short name',
    description:
      'What follows the short name is added at the end. Quotes are those of a shell.\n\n  crewhall alias set mine "card list --assignee me"',
    declare: (command) =>
      command
        .argument('<name>', 'the short name')
        .argument('<expansion>', 'the command it stands for, in quotes'),
    run: async (...given) => (await import('./alias.ts')).setAlias(given[0], given[1], isName),
  },
  {
    words: 'alias delete',
    summary: 'Take a short name away',
    declare: (command) => command.argument('<name>', 'the short name'),
    run: async (...given) => (await import('./alias.ts')).deleteAlias(given[0], given[1]),
  },
  {
    words: 'open',
    summary: 'Open a card, a board or another page of the dashboard',
    description:
      'A card by its reference, a board by its key, or one of home, now, boards, inbox, settings, features and notifications. Piped, the address is printed.',
    declare: (command) =>
      command
        .argument('[what]', 'such as CORE-12, CORE or inbox; the chosen board by default')
        .option('--print', 'print the address instead'),
    run: async (...given) => (await import('./open.ts')).open(...given),
  },
  {
    words: 'link',
    summary: 'Link this folder to a board and a project',
    declare: (command) => command.option('--project <id>', 'project whose code this is'),
    run: async (...given) => (await import('./link.ts')).link(...given),
  },
  {
    words: 'call',
    fields: ['name', 'method', 'path', 'summary'],
    summary: 'Call any method of the API, with the flags of its contract',
    description: 'Call any method of the API, such as boards.getCard. Without one, they are listed.',
    declare: (command) => command.argument('[method]', 'module and method, such as boards.listLabels'),
    run: async (...given) => (await import('./call.ts')).listMethods(given[0], given[1]),
  },
  {
    words: 'run',
    summary: 'Claim a card, run a command for it and keep the claim while it runs',
    description:
      'Claims the most urgent ready card, or the one that is named, and runs the command with CREWHALL_RUN, CREWHALL_CARD, CREWHALL_CLAIM, CREWHALL_EPOCH and a token of its own. Ends with the code of the command, or with 7 if the claim was lost; then the command is stopped.',
    declare: (command) =>
      command
        .argument('<command...>', 'command and its arguments, after --')
        .option('--card <ref>', 'card to claim; the most urgent ready one by default')
        .option('--lease <seconds>', 'how long the claim outlives this program (default 300)'),
    run: async (...given) => (await import('./run-command.ts')).runCommand(...given),
  },
  {
    words: 'watch',
    summary: 'Follow the events of the workspace or of a board',
    description: 'Prints one line for each event and goes on after cut connections, without gaps.',
    declare: (command) =>
      command
        .option('--types <a,b>', 'only events of these types')
        .option('--since <cursor>', 'go on after this event')
        .option('--limit <number>', 'end after so many events'),
    run: async (...given) => (await import('./watch.ts')).watch(...given),
  },
  {
    words: 'mcp',
    summary: 'Serve the tools of the service on standard input and output',
    description: 'A bridge to /mcp for clients that start a program: one JSON-RPC message on each line.',
    declare: (command) =>
      command
        .option('--toolsets <a,b>', 'further sets of tools')
        .option('--readonly', 'only tools that change nothing'),
    run: async (...given) => (await import('./mcp.ts')).mcp(...given),
  },
  {
    words: 'api',
    summary: 'Call any path of the API',
    description:
      "The path may leave out /api/v1/. Fields make a body, or a query with GET.\n\n  crewhall api board/boards --jq '.items[].key'\n  crewhall api board/boards -f name=Core -f key=CORE",
    declare: (command) =>
      command
        .argument('<path>', 'such as board/boards or /api/v1/me')
        .option('-X, --method <method>', 'GET without fields, POST with them')
        .option(
          '-F, --field <name=value>',
          'a field; numbers, true, false, null and JSON are what they look like',
          collect,
        )
        .option('-f, --raw-field <name=value>', 'a field that is text', collect)
        .option('--body-file <path>', 'the body, from a file or - for standard input')
        .option('-H, --header <name: value>', 'a header', collect)
        .option('-i, --include', 'print status and headers as well'),
    run: async (...given) => (await import('./api.ts')).api(...given),
  },
  {
    words: 'prime',
    summary: 'Print how to work here, and the lessons near the changed files',
    description: 'What an agent reads first, at most 8 KB.',
    declare: (command) =>
      command.option('--project <id>', 'project whose lessons are meant; that of the link by default'),
    run: async (...given) => (await import('./prime.ts')).prime(...given),
  },
  {
    words: 'doctor',
    fields: ['check', 'state', 'told', 'remedy'],
    summary: 'Check host, time, encryption, versions and sign-in',
    run: async (...given) => (await import('./doctor.ts')).doctor(given[0]),
  },
  {
    words: 'completion',
    summary: 'Print the completion script of a shell',
    description: 'Shells are bash, zsh, fish and powershell.\n\n  source <(crewhall completion bash)',
    declare: (command) => command.argument('<shell>', 'bash, zsh, fish or powershell'),
    run: async (...given) => (await import('./completion.ts')).printScript(given[0], given[1]),
  },
  {
    words: '__refresh',
    is_hidden: true,
    summary: 'Read what completion offers',
    run: async (...given) => (await import('./completion.ts')).refresh(given[0], specialCommands),
  },
]

/** Whether a command begins with this word. */
export const isName = (word: string): boolean =>
  Object.hasOwn(groups, word) ||
  [...entries, ...specialCommands].some(({ words }) => words.split(' ')[0] === word)

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}
