import type { StandardCard } from '@crewhall/contracts/boards/card-fields.ts'
import {
  Code,
  FileText,
  Flame,
  FlaskConical,
  GitMerge,
  GitPullRequest,
  type LucideIcon,
  Palette,
  Telescope,
} from 'lucide-react'
import { classNames } from '../ui/class-names.ts'

type TaskType = StandardCard['task_type']
type Priority = StandardCard['priority']
type PrState = NonNullable<StandardCard['pr_state']>

const taskTypes: Readonly<Record<TaskType, readonly [string, LucideIcon]>> = {
  coding: ['Coding', Code],
  docs: ['Docs', FileText],
  research: ['Research', Telescope],
  design: ['Design', Palette],
  test: ['Test', FlaskConical],
}
export const taskTypeWords = Object.entries(taskTypes).map(([value, [word]]) => ({ value, word }))
export const taskTypeWord = (type: TaskType): string => taskTypes[type][0]

export function TaskTypeIcon({ type }: { readonly type: TaskType }) {
  const [word, Icon] = taskTypes[type]
  return (
    <Icon size={14} strokeWidth={1.75} className="shrink-0 text-ink-2" aria-hidden>
      <title>{word}</title>
    </Icon>
  )
}

const priorities: Readonly<Record<Priority, string>> = {
  urgent: 'Urgent',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  none: 'No priority',
}
export const priorityWords = Object.entries(priorities).map(([value, word]) => ({ value, word }))
export const priorityWord = (priority: Priority): string => priorities[priority]
const bars: Readonly<Record<Priority, number>> = { urgent: 3, high: 3, medium: 2, low: 1, none: 0 }

/** Bars, as on a telephone; a flame for what is urgent. */
export function PriorityIcon({ priority }: { readonly priority: Priority }) {
  if (priority === 'urgent')
    return (
      <Flame size={14} strokeWidth={1.75} className="shrink-0 text-bad-mark" aria-hidden>
        <title>Urgent</title>
      </Flame>
    )
  return (
    <svg width="14" height="14" viewBox="0 0 14 14" className="shrink-0" aria-hidden="true">
      <title>{priorities[priority]}</title>
      {[0, 1, 2].map((bar) => (
        <rect
          key={bar}
          x={1.5 + bar * 4}
          y={8.5 - bar * 3}
          width="3"
          height={4 + bar * 3}
          rx="0.5"
          className={bar < bars[priority] ? 'fill-ink-2' : 'fill-line-strong'}
        />
      ))}
    </svg>
  )
}

const prStates: Readonly<Record<PrState, readonly [string, LucideIcon, string]>> = {
  draft: ['Draft', GitPullRequest, 'text-idle'],
  open: ['Open', GitPullRequest, 'text-ok'],
  closed: ['Closed', GitPullRequest, 'text-bad'],
  merged: ['Merged', GitMerge, 'text-review'],
}
export const prWord = (state: PrState): string => prStates[state][0]

export function PullRequest({ number, state }: { readonly number: number; readonly state: PrState | null }) {
  const [word, Icon, tone] = prStates[state ?? 'open']
  return (
    <span className={classNames('inline-flex items-center gap-1', tone)} title={`Pull request, ${word}`}>
      <Icon size={13} strokeWidth={1.75} aria-hidden />#{number}
      <span className="sr-only"> {word}</span>
    </span>
  )
}
