import type { OwnSession } from '@crewhall/contracts/identity/own-sessions.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Monitor } from 'lucide-react'
import { useState } from 'react'
import { newAction } from '../../../api/own-fetch.ts'
import { queries } from '../../../app/queries.ts'
import { dayTold, useNow, whenTold } from '../../../app/times.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { ErrorState, SkeletonRows } from '../../../ui/states.tsx'
import { sayFailed } from '../../../ui/toast.tsx'
import { Box } from './box.tsx'
import { ownApi, sessionsQuery } from './own-data.ts'

const readAgain = () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey })

/** Where the reader is signed in. */
export function SessionList() {
  const { data, error, refetch } = useQuery(sessionsQuery)
  const canWrite = useCanWrite()
  const [isAsking, setAsking] = useState(false)
  const endOthers = useMutation({
    mutationFn: () => ownApi.acting(newAction()).identity.endOtherSessions(),
    onSettled: async () => {
      setAsking(false)
      await readAgain()
    },
    onError: (failed) => sayFailed('The other sessions were not ended', failed),
  })
  const others = data?.filter(({ current }) => !current).length ?? 0
  return (
    <Box
      title="Sessions"
      note="Where you are signed in."
      action={
        others > 0 && (
          <Button disabled={!canWrite} onClick={() => setAsking(true)}>
            End all others
          </Button>
        )
      }
    >
      {error && !data ? (
        <ErrorState error={error} what="Your sessions" onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={2} />
      ) : (
        <ul className="divide-y divide-line">
          {data.map((session) => (
            <Row key={session.id} session={session} />
          ))}
        </ul>
      )}
      <Confirm
        open={isAsking}
        onOpenChange={setAsking}
        title={others === 1 ? 'End the other session?' : `End ${others} other sessions?`}
        consequences={['They have to sign in again.', 'This session and your access tokens stay.']}
        action="End all others"
        busy={endOthers.isPending}
        onConfirm={() => endOthers.mutate()}
      />
    </Box>
  )
}

/** Days are kept, not times. */
const today = (now: number): string => new Date(now).toISOString().slice(0, 10)

function Row({ session }: { readonly session: OwnSession }) {
  const canWrite = useCanWrite()
  const now = useNow()
  const { id, current, client, network, created_at, last_used_on } = session
  const end = useMutation({
    mutationFn: () =>
      ownApi.acting(newAction()).identity.endOwnSession({ params: { session_id: String(id) } }),
    onSettled: readAgain,
    onError: (error) => sayFailed('The session was not ended', error),
  })
  const facts = [
    network === null ? [] : [`from ${network}`],
    [`since ${whenTold(created_at, now)}`],
    last_used_on === null || current
      ? []
      : [`last used ${last_used_on === today(now) ? 'today' : dayTold(last_used_on, now)}`],
  ].flat()
  const name = client ?? 'Unknown program'
  return (
    <li className="flex min-h-[var(--ch-row-2)] items-center gap-3 px-4 py-2">
      <Monitor size={16} strokeWidth={1.75} className="shrink-0 text-ink-2" aria-hidden />
      <div className="min-w-0 grow">
        <p className="truncate font-medium" title={name}>
          {name}
        </p>
        <p className="text-ink-2 text-meta">{facts.join(', ')}</p>
      </div>
      {current ? (
        <span className="shrink-0 text-meta text-ok">This session</span>
      ) : (
        <Button
          size="s"
          busy={end.isPending}
          disabled={!canWrite}
          aria-label={`End ${name}, since ${whenTold(created_at, now)}`}
          onClick={() => end.mutate()}
        >
          End
        </Button>
      )}
    </li>
  )
}
