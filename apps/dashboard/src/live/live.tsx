import { useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { LiveState } from './live-connection.ts'
import { type LiveEvent, LiveTabs } from './live-tabs.ts'

const LiveContext = createContext<Pick<LiveTabs, 'state' | 'watch' | 'listen'> | undefined>(undefined)

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

const nothing = () => {}

/** For those who have no stream: what is shown is asked for again and again, and the state is whether that succeeds. */
export function AskedProvider({
  state,
  children,
}: {
  readonly state: LiveState
  readonly children: ReactNode
}) {
  const asked = useMemo(() => ({ state, watch: () => nothing, listen: () => nothing }), [state])
  return <LiveContext value={asked}>{children}</LiveContext>
}

/** The first parts of the keys of the queries that an event may have changed. */
function touchedBy({ type, board_id, data }: LiveEvent): readonly (readonly string[])[] {
  if (board_id !== undefined) {
    const card = typeof data.ref === 'string' ? [['card', data.ref]] : []
    // A run that goes on changes nothing that lists over boards show.
    const lists = type === 'run.updated' ? [] : [['found-cards']]
    const guests = type.startsWith('guest.') ? [['guests']] : []
    return [['board', board_id], ['boards'], ['working-now'], ['inbox'], ...lists, ...card, ...guests]
  }
  const [subject = type] = type.split('.', 1)
  // Who joins was invited before, perhaps as a guest.
  const joined = subject === 'member' ? [['invitations'], ['guests']] : []
  return [[subject], [`${subject}s`], ['inbox'], ...joined]
}

const starting: LiveState = { kind: 'catching_up' }
const never = () => () => {}

export function useLiveState(): LiveState {
  const tabs = useContext(LiveContext)
  return useSyncExternalStore(tabs?.watch ?? never, () => tabs?.state ?? starting)
}

/** Calls with each event while the caller is shown, for what is changed in place rather than read again. */
export function useLiveEvents(onEvent: (event: LiveEvent) => void): void {
  const tabs = useContext(LiveContext)
  const latest = useRef(onEvent)
  latest.current = onEvent
  useEffect(() => tabs?.listen({ onEvent: (event) => latest.current(event), onReset: () => {} }), [tabs])
}

/** Reading goes on without the server; writing does not, and says so. */
export const useCanWrite = (): boolean => useLiveState().kind !== 'offline'
