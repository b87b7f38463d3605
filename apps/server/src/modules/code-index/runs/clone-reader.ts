import type { GitOrder, GitResult } from '#platform/git/run-git.ts'
import { GitLimit, type GitReader } from '../identity/git-reader.ts'

const usualMs = 120_000

/** Git on a copy, for those who read its history. */
export const gitReaderOf =
  (runGit: (order: GitOrder) => Promise<GitResult>, git_dir: string, signal: AbortSignal): GitReader =>
  async (args, options = {}) => {
    const result = await runGit({
      args: [`--git-dir=${git_dir}`, ...args],
      limit_ms: options.limit_ms ?? usualMs,
      signal,
      ...(options.input === undefined ? {} : { input: options.input }),
    })
    if (result.ended === 'signal') throw signal.reason
    if (result.ended) throw new GitLimit(`git ${args[0]}: ${result.ended}`)
    return { code: result.code ?? 1, stdout: result.stdout, stderr: result.stderr }
  }
