import { extname } from 'node:path'
import { lintSource } from '@secretlint/core'
import { creator } from '@secretlint/secretlint-rule-preset-recommend'
import type { Violation } from './repo-files.ts'

/** `holds` is a piece of what is found, too short to be found itself. */
export type AllowedSecret = { path: string; holds: string; reason: string }

const allowedSecrets: readonly AllowedSecret[] = [
  { path: 'README.md', holds: 'crewhall-app-dev', reason: 'the password of the local services' },
  { path: 'README.md', holds: 'crewhall-dev', reason: 'the password of the local services' },
  { path: 'deploy/production/install', holds: '$app_password', reason: 'a variable of the script' },
  { path: 'deploy/production/install', holds: '$owner_password', reason: 'a variable of the script' },
  { path: 'apps/server/src/secret-files.test.ts', holds: 'hidden-words', reason: 'must not be printed' },
  { path: 'apps/sidecar/src/cut-secrets.rules.test.ts', holds: 'me:secret', reason: 'must be cut out' },
  { path: 'conformance/conversations/sources.test.ts', holds: 'hunter2', reason: 'must be refused' },
  { path: 'conformance/platform/http/logs.test.ts', holds: 'hunter2-pass', reason: 'must not be logged' },
  { path: 'packages/testkit/src/planted-secrets.ts', holds: '<password>', reason: 'a text that holds none' },
]

const preset = '@secretlint/secretlint-rule-preset-recommend'
const config = { rules: [{ id: preset, rule: creator }] }

/** Files as pairs of path and text. What secretlint finds in them, and what is listed and not found. */
export const checkSecrets = async (
  files: Iterable<readonly [path: string, text: string]>,
  allowed = allowedSecrets,
): Promise<Violation[]> => {
  const violations: Violation[] = []
  const used = new Set<AllowedSecret>()
  for (const [path, text] of files) {
    if (text.includes('\0')) continue
    const { messages } = await lintSource({
      source: { filePath: path, content: text, ext: extname(path), contentType: 'text' },
      options: { config, noPhysicFilePath: true },
    })
    for (const { messageId, range, loc } of messages) {
      const found = text.slice(...range)
      const excuses = allowed.filter((each) => each.path === path && found.includes(each.holds))
      for (const each of excuses) used.add(each)
      if (excuses.some(({ reason }) => reason.trim() !== '')) continue
      // The secret itself is not printed: the output of a check is kept longer than a working copy.
      violations.push({ path, line: loc.start.line, rule: 'secret', message: `looks like ${messageId}` })
    }
  }
  const stale = allowed.filter((each) => !used.has(each))
  return [
    ...violations,
    ...stale.map(({ path, holds }) => ({
      path,
      line: 1,
      rule: 'secret-list',
      message: `${holds} is listed as no secret, but is not found; take it off the list`,
    })),
  ]
}
