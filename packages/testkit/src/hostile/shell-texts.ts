const canary = 'touch canary'

/** What would run a command if it came into a script without its quotes, or ended the quotes it stands in. */
const commands = [
  `$(${canary})`,
  `\`${canary}\``,
  `; ${canary};`,
  `& ${canary} &`,
  `| ${canary}`,
  `|| ${canary}`,
  `&& ${canary}`,
  `\n${canary}\n`,
  `\r\n${canary}\r\n`,
  `> canary`,
  `<(${canary})`,
  `\${x:=$(${canary})}`,
  `$((a[$(${canary})]))`,
  `#\n${canary}`,
  `\\\n${canary}`,
  `} ; ${canary}; {`,
  `) ; ${canary}; (`,
  `esac; ${canary}`,
  `\nFILE\n${canary}\n`,
  `!${canary}`,
  `%0a${canary}%0a`,
  `%27;${canary};%27`,
  `\u2028${canary}`,
  `\u001b]0;${canary}\u0007`,
  `\u0000${canary}`,
] as const

export const hostileTexts: readonly string[] = commands.flatMap((each) => [each, `'${each}'`])
