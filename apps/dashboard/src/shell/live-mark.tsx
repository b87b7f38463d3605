import { clockTime, useNow } from '../app/times.ts'
import { useLiveState } from '../live/live.tsx'
import type { LiveState } from '../live/live-connection.ts'
import { classNames } from '../ui/class-names.ts'

const words: Readonly<Record<LiveState['kind'], readonly [string, string]>> = {
  live: ['Live', 'bg-ok-mark'],
  catching_up: ['Catching up', 'bg-live-mark'],
  reconnecting: ['Reconnecting', 'bg-warn-mark'],
  offline: ['Offline', 'bg-bad-mark'],
}

/** Whether what is shown follows what happens. */
export function LiveMark({ isQuiet = false }: { readonly isQuiet?: boolean }) {
  const state = useLiveState()
  const [word, mark] = words[state.kind]
  return (
    <span
      className={classNames(
        'inline-flex items-center gap-1.5 text-ink-2 text-meta',
        isQuiet && state.kind === 'live' && 'sr-only',
      )}
      title={noteOf(state, useNow(1000))}
    >
      <span className={classNames('size-1.5 rounded-full', mark)} aria-hidden />
      <span role="status">{word}</span>
    </span>
  )
}

function noteOf(state: LiveState, now: number): string {
  if (state.kind === 'reconnecting') {
    const seconds = Math.max(0, Math.ceil((state.next_at - now) / 1000))
    return `Try ${state.tries}, next in ${seconds} s. You can keep reading.`
  }
  if (state.kind === 'offline') return `Since ${clockTime(state.since)}. Writing waits until it is back.`
  return state.kind === 'live' ? 'Changes show within a second' : 'Reading what has changed'
}
