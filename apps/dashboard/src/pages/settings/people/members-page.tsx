import type { Member } from '@crewhall/contracts/workspaces/members.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Search, Users } from 'lucide-react'
import { useEffect, useState } from 'react'
import { workingQuery } from '../../../app/boards.ts'
import { paths } from '../../../app/paths.ts'
import { useBrand } from '../../../app/session.ts'
import { useNow, whenTold } from '../../../app/times.ts'
import { Button } from '../../../ui/button.tsx'
import { State } from '../../../ui/states.tsx'
import { Table } from '../../../ui/table.tsx'
import { SettingsLayout } from '../settings-layout.tsx'
import { GuestList } from './guest-list.tsx'
import { InvitationList } from './invitation-list.tsx'
import { InviteButton, InviteDialog } from './invite-dialog.tsx'
import { MemberName, MemberRole, MemberWork } from './member-cells.tsx'
import { MemberMenu } from './member-menu.tsx'
import { membersQuery } from './people-data.ts'

/** Everybody with a way into the workspace: members, and for admins those who are invited and those from outside. */
export function MembersPage() {
  const { isAdmin } = useBrand()
  const [isInviting, setInviting] = useState(false)
  return (
    <SettingsLayout title="Members" actions={isAdmin && <InviteButton onClick={() => setInviting(true)} />}>
      <div className="flex flex-col gap-8">
        <Members />
        {isAdmin && (
          <>
            <InvitationList heading />
            <GuestList heading />
            <InviteDialog open={isInviting} onOpenChange={setInviting} />
          </>
        )}
      </div>
    </SettingsLayout>
  )
}

function Members() {
  const { brand_id, isAdmin } = useBrand()
  const { q = '' } = useSearch({ strict: false })
  const [text, setText] = useState(q)
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage, isPlaceholderData } =
    useInfiniteQuery({ ...membersQuery(brand_id, q), placeholderData: (before) => before })
  const working = useQuery(workingQuery).data?.items ?? []
  const members = data?.pages.flatMap((page) => page.members) ?? []
  const total = data?.pages[0]?.total ?? 0
  const admins = members.filter(({ role }) => role === 'admin').length
  // Of a part of them nobody can tell who is the only admin; the server can.
  const isAll = q === '' && !hasNextPage && !isPlaceholderData
  const isOnly = ({ role }: Member) => isAll && admins === 1 && role === 'admin'
  const workOf = (user_id: number) => {
    const card = working.find(
      ({ claim: { holder } }) => holder.kind !== 'agent' && holder.id === String(user_id),
    )
    return card && { ref: card.ref, since: card.claimed_at }
  }
  const now = useNow()
  return (
    <section aria-label="Members">
      <div className="mb-3.5 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <FindMember q={q} text={text} onText={setText} />
        {data && (
          <p className="text-ink-2 text-meta" role="status">
            {q === '' ? counted(total, 'member') : `${total} found`}
            {isAll && `, ${counted(admins, 'admin')}`}
          </p>
        )}
      </div>
      <Table
        read={{ what: 'The members', error, refetch }}
        rows={data && members}
        keyOf={({ user_id }) => user_id}
        lines={2}
        empty={<NobodyFound q={q} onClear={() => setText('')} />}
        columns={[
          {
            name: 'Member',
            cell: (member) => <MemberName member={member} isWorking={!!workOf(member.user_id)} />,
          },
          {
            name: 'Position',
            width: 'w-[19%]',
            from: 'md',
            look: 'truncate text-ink-2',
            title: ({ position }) => position ?? undefined,
            cell: ({ position }) => position ?? '–',
          },
          {
            name: 'Works on now',
            width: 'w-[21%]',
            from: 'xl',
            look: 'text-ink-2',
            cell: ({ user_id }) => <MemberWork work={workOf(user_id)} now={now} />,
          },
          {
            name: 'Role',
            width: 'w-30 md:w-34',
            look: 'max-md:px-0',
            cell: (member) => <MemberRole member={member} isOnlyAdmin={isOnly(member)} />,
          },
          {
            name: 'Joined',
            width: 'w-26',
            from: 'lg',
            atEnd: true,
            look: 'text-ink-2',
            title: ({ joined_at }) => joined_at,
            cell: ({ joined_at }) => whenTold(joined_at, now),
          },
          ...(isAdmin
            ? [
                {
                  name: 'Actions',
                  width: 'w-12',
                  hasActions: true,
                  cell: (member: Member) => <MemberMenu member={member} isOnlyAdmin={isOnly(member)} />,
                },
              ]
            : []),
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

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`

interface FindProps {
  readonly q: string
  readonly text: string
  readonly onText: (text: string) => void
}

/** In the address, once typing pauses: the server looks, over all members. */
function FindMember({ q, text, onText }: FindProps) {
  const navigate = useNavigate()
  useEffect(() => {
    const wanted = text.trim()
    if (wanted === q) return
    const timer = setTimeout(
      () => void navigate({ to: paths.members, search: wanted === '' ? {} : { q: wanted }, replace: true }),
      250,
    )
    return () => clearTimeout(timer)
  }, [text, q, navigate])
  return (
    <div className="relative w-full md:w-70">
      <Search
        size={15}
        strokeWidth={1.75}
        className="pointer-events-none absolute inset-y-0 left-2.5 my-auto text-ink-2"
        aria-hidden
      />
      <input
        type="search"
        aria-label="Find a member"
        placeholder="Name or address"
        maxLength={200}
        value={text}
        onChange={({ target }) => onText(target.value)}
        className="h-[var(--ch-control)] w-full rounded-control border border-line-control bg-surface pr-2 pl-8 placeholder:text-ink-3"
      />
    </div>
  )
}

function NobodyFound({ q, onClear }: { readonly q: string; readonly onClear: () => void }) {
  return (
    <State icon={Users} title="Nobody matches" action={<Button onClick={onClear}>Clear search</Button>}>
      No member has “{q}” in the name or address.
    </State>
  )
}
