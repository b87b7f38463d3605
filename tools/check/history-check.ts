import { execFileSync } from 'node:child_process'
import type { Violation } from './repo-files.ts'
import { tokenPatterns } from './token-patterns.ts'

/** What stays in the history after it was revoked. The commit is written in full. */
export type Revoked = { commit: string; path: string; reason: string }

const revoked: readonly Revoked[] = []

export type HistoryReport = { violations: Violation[]; commits: number | undefined }

const git = (root: string, ...args: string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 })

/** All that any branch or tag has ever added, and all messages. A shallow clone has no history to search. */
export const checkHistory = (root: string, listed = revoked): HistoryReport => {
  if (git(root, 'rev-parse', '--is-shallow-repository').trim() === 'true') {
    return { violations: [], commits: undefined }
  }
  const found = [...findInMessages(root), ...findInChanges(root)]
  const isListed = ({ commit, path }: Found) =>
    listed.some((each) => each.commit === commit && each.path === path && each.reason.trim() !== '')
  const stale = listed.filter(({ commit, path }) =>
    found.every((each) => each.commit !== commit || each.path !== path),
  )
  const violations = [
    ...found
      .filter((each) => !isListed(each))
      .map(({ commit, path, line, rule, message }) => ({
        path: `${commit.slice(0, 12)}:${path}`,
        line,
        rule,
        message: `the history holds ${message}: revoke it, then list it`,
      })),
    ...stale.map(({ commit, path }) => ({
      path: `${commit.slice(0, 12)}:${path}`,
      line: 1,
      rule: 'revoked-list',
      message: 'is listed as revoked, but holds nothing; take it off the list',
    })),
  ]
  return { violations, commits: Number(git(root, 'rev-list', '--all', '--count')) }
}

type Found = Violation & { commit: string }

const judge = (commit: string, path: string, line: number, text: string): Found[] =>
  tokenPatterns
    .filter(({ pattern }) => pattern.test(text))
    .map(({ rule, message }) => ({ commit, path, line, rule, message }))

const findInMessages = (root: string): Found[] =>
  git(root, 'log', '--all', '-z', '--format=%H%n%B')
    .split('\0')
    .flatMap((entry) => {
      const [commit = '', ...lines] = entry.split('\n')
      return lines.flatMap((text, index) => judge(commit, 'message', index + 1, text))
    })

/** Git chooses the commits, which takes seconds where reading all changes would take a minute. */
const findInChanges = (root: string): Found[] => {
  const any = tokenPatterns.map(({ pattern }) => pattern.source.replaceAll('\\/', '/')).join('|')
  const options = ['--no-color', '--no-ext-diff', '--no-renames', '--src-prefix=a/', '--dst-prefix=b/']
  const log = git(root, 'log', '--all', '-m', '-p', '-U0', '-G', any, ...options, '--format=commit %H')
  const found: Found[] = []
  let commit = ''
  let path = ''
  let line = 0
  for (const text of log.split('\n')) {
    if (text.startsWith('commit ')) commit = text.slice('commit '.length)
    else if (text.startsWith('+++ ')) path = text.replace(/^\+\+\+ (b\/)?/, '')
    else if (text.startsWith('@@ ')) line = Number(/\+(\d+)/.exec(text)?.[1])
    else if (text.startsWith('+')) {
      found.push(...judge(commit, path, line, text))
      line += 1
    }
  }
  return found
}
