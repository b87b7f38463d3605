import { useLiveState } from '../live/live.tsx'

/** Reading goes on; writing says why it cannot. */
export function OfflineLine() {
  const { kind } = useLiveState()
  if (kind !== 'offline') return null
  return (
    <p role="status" className="shrink-0 bg-warn-bg px-5 py-1.5 text-center text-meta text-warn">
      The server cannot be reached. You can keep reading; changes can be made again when it is back.
    </p>
  )
}
