import type { PushNotice } from '@crewhall/contracts/code-index/push-hook.ts'

const heads = 'refs/heads/'

/**
 * Whether a push may have changed what is indexed. Where the notice or the repository leaves it open, it may: a run that
 * finds nothing new ends at once.
 */
export function concernsBranch({ ref, repository, project }: PushNotice, branch: string | null): boolean {
  if (ref === undefined || !ref.startsWith('refs/')) return true
  const indexed = branch ?? repository?.default_branch ?? project?.default_branch
  return indexed === undefined ? ref.startsWith(heads) : ref === `${heads}${indexed}`
}
