import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Search, Users } from 'lucide-react'
import { useEffect, useState } from 'react'
import { workingQuery } from '../../../app/boards.ts'
import { paths } from '../../../app/paths.ts'
import { useBrand } from '../../../app/session.ts'
import { Button } from '../../../ui/button.tsx'
import { ErrorState, SkeletonRows, State } from '../../../ui/states.tsx'
import { SettingsLayout } from '../settings-layout.tsx'
import { GuestList } from './guest-list.tsx'
import { InvitationList } from './invitation-list.tsx'
import { InviteButton, InviteDialog } from './invite-dialog.tsx'
import { MemberRow } from './member-row.tsx'
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
  const workOf = (user_id: number) => {
    const card = working.find(
      ({ claim: { holder } }) => holder.kind !== 'agent' && holder.id === String(user_id),
    )
    return card && { ref: card.ref, since: card.claimed_at }
  }
  if (error && !data) return <ErrorState error={error} what="The members" onRetry={() => void refetch()} />
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
      <div className="overflow-hidden rounded-card border border-line bg-surface">
        {!data ? (
          <SkeletonRows />
        ) : members.length === 0 ? (
          <NobodyFound q={q} onClear={() => setText('')} />
        ) : (
          <table className="w-full table-fixed">
            <thead>
              <tr className="h-8.5 border-line border-b text-left text-ink-2 text-meta">
                <th className="px-4 font-medium">Member</th>
                <th className="hidden w-[19%] px-4 font-medium md:table-cell">Position</th>
                <th className="hidden w-[21%] px-4 font-medium xl:table-cell">Works on now</th>
                <th className="w-30 px-4 font-medium max-md:w-28 max-md:px-0 md:w-34">Role</th>
                <th className="hidden w-26 px-4 text-right font-medium lg:table-cell">Joined</th>
                {isAdmin && (
                  <th className="w-12">
                    <span className="sr-only">Actions</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {members.map((member) => (
                <MemberRow
                  key={member.user_id}
                  member={member}
                  isOnlyAdmin={isAll && admins === 1 && member.role === 'admin'}
                  work={workOf(member.user_id)}
                />
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
