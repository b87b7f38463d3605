import type { Invitation } from '@crewhall/contracts/workspaces/invitations.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { CircleX, Hourglass, TriangleAlert, UserPlus } from 'lucide-react'
import { useState } from 'react'
import { useBrand } from '../../../app/session.ts'
import { useNow, whenTold } from '../../../app/times.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { Confirm } from '../../../ui/dialog.tsx'
import { ErrorState, SkeletonRows, State } from '../../../ui/states.tsx'
import { say } from '../../../ui/toast.tsx'
import { invitationsQuery, usePeopleAct } from './people-data.ts'
import { SectionHead } from './section-head.tsx'

interface ListProps {
  /** On the page of members, where it is one of three. */
  readonly heading?: boolean
  /** On its own page, what to do when there are none. */
  readonly onInvite?: () => void
}

export function InvitationList({ heading = false, onInvite }: ListProps) {
  const { brand_id } = useBrand()
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery(
    invitationsQuery(brand_id),
  )
  const invitations = data?.pages.flatMap((page) => page.invitations) ?? []
  const total = data?.pages[0]?.total ?? 0
  if (error && !data)
    return <ErrorState error={error} what="The invitations" onRetry={() => void refetch()} />
  if (heading && total === 0) return null
  return (
    <section aria-label="Invitations">
      {heading && <SectionHead title="Invitations" note={`${total} open, links work for 7 days`} />}
      <div className="overflow-hidden rounded-card border border-line bg-surface">
        {!data ? (
          <SkeletonRows rows={3} />
        ) : invitations.length === 0 ? (
          <State
            icon={UserPlus}
            title="No open invitations"
            action={
              onInvite && (
                <Button look="primary" onClick={onInvite}>
                  Invite people
                </Button>
              )
            }
          >
            Who is invited by mail is listed here until the link is used.
          </State>
        ) : (
          <table className="w-full table-fixed">
            <thead>
              <tr className="h-8.5 border-line border-b text-left text-ink-2 text-meta">
                <th className="px-4 font-medium">Address</th>
                <th className="hidden w-[14%] px-4 font-medium md:table-cell">As</th>
                <th className="hidden w-[16%] px-4 font-medium lg:table-cell">Sent</th>
                <th className="hidden w-[22%] px-4 font-medium md:table-cell">Link</th>
                <th className="w-46 px-4">
                  <span className="sr-only">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {invitations.map((invitation) => (
                <Row key={invitation.id} invitation={invitation} />
              ))}
            </tbody>
          </table>
        )}
      </div>
      {hasNextPage && (
        <Button className="mt-3" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more of {total}
        </Button>
      )}
    </section>
  )
}

function Row({ invitation }: { readonly invitation: Invitation }) {
  const { brand_id } = useBrand()
  const canWrite = useCanWrite()
  const now = useNow()
  const [isAsking, setAsking] = useState(false)
  const { id, email, role, created_at } = invitation
  const params = { brand_id, invitation_id: String(id) }
  const resend = usePeopleAct('The invitation was not sent again', (_: undefined, api) =>
    api.resendInvitation({ params }),
  )
  const revoke = usePeopleAct('The invitation was not revoked', (_: undefined, api) =>
    api.revokeInvitation({ params }),
  )
  const as = role === 'admin' ? 'Admin' : 'Member'
  return (
    <tr className="h-[var(--ch-row)] max-md:h-[var(--ch-row-2)]">
      <td className="px-4 py-1.5">
        <p className="break-all md:truncate" title={email}>
          {email}
        </p>
        <div className="text-ink-2 text-meta md:hidden">
          {as}
          <LinkState invitation={invitation} now={now} />
        </div>
      </td>
      <td className="hidden px-4 md:table-cell">{as}</td>
      <td className="hidden truncate px-4 text-ink-2 lg:table-cell" title={created_at}>
        {whenTold(created_at, now)}
      </td>
      <td className="hidden px-4 md:table-cell">
        <LinkState invitation={invitation} now={now} />
      </td>
      <td className="whitespace-nowrap px-2 text-right">
        <Button
          size="s"
          busy={resend.isPending}
          disabled={!canWrite}
          aria-label={`Send again to ${email}`}
          onClick={() =>
            resend.mutate(undefined, {
              onSuccess: () =>
                say(`A new link is on its way to ${email}`, { note: 'The one before stopped working.' }),
            })
          }
        >
          Send again
        </Button>
        <Button
          size="s"
          look="quiet"
          className="ml-1"
          disabled={!canWrite}
          aria-label={`Revoke the invitation of ${email}`}
          onClick={() => setAsking(true)}
        >
          Revoke
        </Button>
        <Confirm
          open={isAsking}
          onOpenChange={setAsking}
          title={`Revoke the invitation of ${email}?`}
          consequences={['The link stops working at once.', 'The address can be invited again.']}
          action="Revoke"
          busy={revoke.isPending}
          onConfirm={() => revoke.mutate(undefined, { onSettled: () => setAsking(false) })}
        />
      </td>
    </tr>
  )
}

const dayMs = 24 * 60 * 60 * 1000

/** How long the link works, or why it does not. */
function LinkState({ invitation, now }: { readonly invitation: Invitation; readonly now: number }) {
  const { status, delivery, expires_at } = invitation
  const leftMs = Date.parse(expires_at) - now
  const [Icon, tone, words] =
    delivery === 'refused'
      ? ([CircleX, 'text-bad', 'The mail server refused it'] as const)
      : status === 'expired' || leftMs <= 0
        ? ([TriangleAlert, 'text-warn', 'Expired'] as const)
        : leftMs < dayMs
          ? ([
              TriangleAlert,
              'text-warn',
              `ends in ${Math.max(1, Math.floor(leftMs / 3_600_000))} h`,
            ] as const)
          : ([
              Hourglass,
              'text-ink-2',
              `${daysLeft(leftMs)}${delivery === 'queued' ? ', being sent' : ''}`,
            ] as const)
  return (
    <span className={classNames('flex min-w-0 items-center gap-1.5', tone)} title={`Until ${expires_at}`}>
      <Icon size={14} className="shrink-0" aria-hidden />
      <span className="min-w-0 break-words">{words}</span>
    </span>
  )
}

const daysLeft = (ms: number): string => {
  const days = Math.round(ms / dayMs)
  return `${days} ${days === 1 ? 'day' : 'days'} left`
}
