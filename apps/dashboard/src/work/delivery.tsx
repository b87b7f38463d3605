import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import { GitBranch, GitMerge, GitPullRequest, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { useNow, whenTold } from '../app/times.ts'
import { classNames } from '../ui/class-names.ts'
import { prWord } from './words.tsx'

/** Where the work is: branch, pull request, merge. Absent while nothing is known of any. */
export function Delivery({ card }: { readonly card: FullCard }) {
  const now = useNow()
  const { branch, commit_sha, pr_number, pr_state, pr_url, merged_at, base_branch } = card
  if (branch === null && pr_number === null) return null
  return (
    <div className="grid grid-cols-1 gap-3 md:grid-cols-3">
      <Step
        icon={GitBranch}
        isDone={branch !== null}
        title={<span className="font-mono">{branch ?? 'No branch'}</span>}
      >
        {commit_sha === null ? 'no commit yet' : `at ${commit_sha.slice(0, 7)}`}
      </Step>
      <Step
        icon={GitPullRequest}
        isDone={pr_state === 'open' || pr_state === 'merged'}
        title={
          pr_number === null ? (
            'Pull request'
          ) : pr_url === null ? (
            `#${pr_number}`
          ) : (
            <a href={pr_url} target="_blank" rel="noopener noreferrer" className="text-link hover:underline">
              #{pr_number}
            </a>
          )
        }
      >
        {pr_number === null
          ? 'not opened yet'
          : pr_state === null
            ? 'state not told'
            : prWord(pr_state).toLowerCase()}
      </Step>
      <Step icon={GitMerge} isDone={merged_at !== null} title="Merge">
        {merged_at === null ? `into ${base_branch ?? 'the base branch'}` : whenTold(merged_at, now)}
      </Step>
    </div>
  )
}

interface StepProps {
  readonly icon: LucideIcon
  readonly isDone: boolean
  readonly title: ReactNode
  readonly children: ReactNode
}

function Step({ icon: Icon, isDone, title, children }: StepProps) {
  return (
    <div className="flex min-w-0 items-center gap-2.5">
      <span
        className={classNames(
          'flex size-7 shrink-0 items-center justify-center rounded-full',
          isDone ? 'bg-ok-bg text-ok' : 'bg-sunken text-ink-2',
        )}
      >
        <Icon size={14} strokeWidth={1.75} aria-hidden />
      </span>
      <div className="min-w-0">
        <p className="truncate font-medium text-meta">{title}</p>
        <p className="truncate text-ink-2 text-micro">{children}</p>
      </div>
    </div>
  )
}
