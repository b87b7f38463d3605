import { type Command, Option } from 'commander'
import { outputs } from '../output/outputs.ts'

/** Adds the flags of all commands, but for those that a contract has given another meaning. */
export function addCommonFlags(command: Command): Command {
  const taken = new Set(command.options.map(({ long }) => long))
  const options = [
    new Option('--json [fields]', 'print these fields as JSON; without a value, list the fields there are'),
    new Option('--jq <filter>', 'filter the JSON, as jq does'),
    new Option('--template <text>', 'fill a template such as {{range .items}}{{.ref}}{{"\\n"}}{{end}}'),
    new Option('-o, --output <form>', 'how to print the result').choices(outputs),
    new Option('--board <board>', 'board to work on, by key, name or id'),
    new Option('--host <address>', 'service to call'),
    new Option('--profile <name>', 'sign-in to use'),
    new Option('-q, --quiet', 'print nothing that was not asked for'),
    new Option('--no-input', 'ask no questions'),
    new Option('--timeout <seconds>', 'how long one attempt may take'),
    new Option('--idempotency-key <key>', 'key of the writes of this command; a new one by default'),
  ]
  for (const option of options)
    if (!taken.has(option.long)) command.addOption(option.helpGroup('Flags of all commands:'))
  return command
}
