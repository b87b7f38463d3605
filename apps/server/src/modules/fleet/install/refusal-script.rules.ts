/** As one word of a shell, whatever it says. */
export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** On one line, without what a terminal would act on. */
const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim()

/**
 * What the install command gets instead of an installer. `curl -sSL … | bash` runs the body of every response, so that of an
 * error has to be a script as well: it says why, changes nothing and fails. A shell reads the braces whole before it runs
 * what is in them, so half of it does nothing.
 */
export const refusalScript = (reason: string, exitCode = 1): string => `#!/usr/bin/env bash
# Nothing was installed.
{
  printf '%s\\n' ${quoted(`crewhall: ${printable(reason)}`)} >&2
  exit ${exitCode}
}
`
