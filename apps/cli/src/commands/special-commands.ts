import type { SpecialCommand } from './special-command.ts'

/** Commands that are more than one route; each loads its code when it runs. */
export const specialCommands: readonly SpecialCommand[] = [
  {
    words: 'auth login',
    summary: 'Sign in to a service',
    description:
      'Sign in with an access token, which is read from standard input and never from an argument:\n\n  crewhall auth login --host crew.example --with-token < token',
    declare: (command) =>
      command
        .option('--with-token', 'read an access token from standard input')
        .option('--set-board <board>', 'board of this sign-in'),
    run: async (...given) => (await import('./auth.ts')).login(...given),
  },
  {
    words: 'auth status',
    summary: 'Show host, person, workspace, scopes and end of the sign-in',
    run: async (...given) => (await import('./auth.ts')).status(given[0]),
  },
  {
    words: 'auth switch',
    summary: 'Use another profile',
    declare: (command) => command.argument('[name]', 'profile; without it they are listed'),
    run: async (...given) => (await import('./auth.ts')).switchProfile(given[0], given[1]),
  },
  {
    words: 'auth logout',
    summary: 'Forget a sign-in, and end it on the server',
    declare: (command) =>
      command.option('--keep-token', 'let the token live on the server').option('-y, --yes', 'do not ask'),
    run: async (...given) => (await import('./auth.ts')).logout(...given),
  },
  {
    words: 'link',
    summary: 'Link this folder to a board and a project',
    declare: (command) => command.option('--project <id>', 'project whose code this is'),
    run: async (...given) => (await import('./link.ts')).link(...given),
  },
  {
    words: 'call',
    summary: 'Call any method of the API, with the flags of its contract',
    description: 'Call any method of the API, such as boards.getCard. Without one, they are listed.',
    declare: (command) => command.argument('[method]', 'module and method, such as boards.listLabels'),
    run: async (...given) => (await import('./call.ts')).listMethods(given[0], given[1]),
  },
]
