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
import { State } from '../../../ui/states.tsx'
import { Table } from '../../../ui/table.tsx'
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
  const now = useNow()
  const invitations = data?.pages.flatMap((page) => page.invitations) ?? []
  const total = data?.pages[0]?.total ?? 0
  if (heading && total === 0 && !error) return null
  return (
    <section aria-label="Invitations">
      {heading && data && <SectionHead title="Invitations" note={`${total} open, links work for 7 days`} />}
      <Table
        read={{ what: 'The invitations', error, refetch }}
        rows={data && invitations}
        keyOf={({ id }) => id}
        expected={3}
        empty={
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
        }
        columns={[
          {
            name: 'Address',
            cell: (invitation) => (
              <>
                <p className="break-all md:truncate" title={invitation.email}>
                  {invitation.email}
                </p>
                <div className="text-ink-2 text-meta md:hidden">
                  {roleOf(invitation)}
                  <LinkState invitation={invitation} now={now} />
                </div>
              </>
            ),
          },
          { name: 'As', width: 'w-[14%]', from: 'md', cell: roleOf },
          {
            name: 'Sent',
            width: 'w-[16%]',
            from: 'lg',
            look: 'truncate text-ink-2',
            title: ({ created_at }) => created_at,
            cell: ({ created_at }) => whenTold(created_at, now),
          },
          {
            name: 'Link',
            width: 'w-[22%]',
            from: 'md',
            cell: (invitation) => <LinkState invitation={invitation} now={now} />,
          },
          {
            name: 'Actions',
            width: 'w-46',
            hasActions: true,
            cell: (invitation) => <Actions invitation={invitation} />,
          },
        ]}
      />
      {hasNextPage && (
        <Button className="mt-3" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more of {total}
        </Button>
      )}
    </section>
  )
}

const roleOf = ({ role }: Invitation): string => (role === 'admin' ? 'Admin' : 'Member')

function Actions({ invitation: { id, email } }: { readonly invitation: Invitation }) {
  const { brand_id } = useBrand()
  const canWrite = useCanWrite()
  const [isAsking, setAsking] = useState(false)
  const params = { brand_id, invitation_id: String(id) }
  const resend = usePeopleAct('The invitation was not sent again', (_: undefined, api) =>
    api.resendInvitation({ params }),
  )
  const revoke = usePeopleAct('The invitation was not revoked', (_: undefined, api) =>
    api.revokeInvitation({ params }),
  )
  return (
    <>
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
    </>
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
