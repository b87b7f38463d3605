import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react'
import type { LiveState } from './live-connection.ts'
import { type LiveEvent, LiveTabs } from './live-tabs.ts'

const LiveContext = createContext<LiveTabs | undefined>(undefined)

/** Changes that come at once are read again once. */
const gatherMs = 250

/** Opens the stream of a workspace, and reads again what it says has changed. */
export function LiveProvider({ scope, children }: { readonly scope: string; readonly children: ReactNode }) {
  const [tabs, setTabs] = useState<LiveTabs>()
  const queries = useQueryClient()
  useEffect(() => {
    const opened = new LiveTabs(scope)
    const waiting = new Map<string, readonly string[]>()
    let timer: ReturnType<typeof setTimeout> | undefined
    const readAgain = (keys: readonly (readonly string[])[]) => {
      for (const key of keys) waiting.set(key.join(' '), key)
      timer ??= setTimeout(() => {
        timer = undefined
        for (const queryKey of waiting.values()) void queries.invalidateQueries({ queryKey })
        waiting.clear()
      }, gatherMs)
    }
    opened.listen({
      onEvent: (event) => readAgain(touchedBy(event)),
      onReset: () => void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' }),
    })
    setTabs(opened)
    return () => {
      clearTimeout(timer)
      opened.close()
    }
  }, [scope, queries])
  return <LiveContext value={tabs}>{children}</LiveContext>
}

/** The first parts of the keys of the queries that an event may have changed. */
function touchedBy({ type, board_id }: LiveEvent): readonly (readonly string[])[] {
  if (board_id !== undefined) return [['board', board_id], ['boards'], ['working-now'], ['inbox']]
  const [subject = type] = type.split('.', 1)
  return [[subject], [`${subject}s`], ['inbox']]
}

const starting: LiveState = { kind: 'catching_up' }
const never = () => () => {}

export function useLiveState(): LiveState {
  const tabs = useContext(LiveContext)
  return useSyncExternalStore(tabs?.watch ?? never, () => tabs?.state ?? starting)
}
