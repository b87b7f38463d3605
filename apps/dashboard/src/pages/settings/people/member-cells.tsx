import type { Member } from '@crewhall/contracts/workspaces/members.ts'
import { Link } from '@tanstack/react-router'
import { LockKeyhole } from 'lucide-react'
import { useState } from 'react'
import { toCard } from '../../../app/paths.ts'
import { useBrand, useMe } from '../../../app/session.ts'
import { shortSpan } from '../../../app/times.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { Avatar } from '../../../ui/avatar.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { SmallSelect } from '../../../ui/select.tsx'
import { usePeopleAct } from './people-data.ts'

const roles = [
  { value: 'admin', word: 'Admin' },
  { value: 'member', word: 'Member' },
] as const

interface Work {
  readonly ref: string
  readonly since: string
}

/** On a phone it goes on in the next line after the name and the sign, not within a word. */
function BreakingAddress({ email }: { readonly email: string }) {
  const at = email.lastIndexOf('@')
  return (
    <>
      {email.slice(0, at)}
      <wbr />
      {email.slice(at)}
    </>
  )
}

interface NameProps {
  readonly member: Member
  readonly isWorking: boolean
}

export function MemberName({ member, isWorking }: NameProps) {
  const { person } = useMe()
  const { user_id, name, email, position, photo } = member
  return (
    <div className="flex min-w-0 items-center gap-3">
      <Avatar name={name} id={String(user_id)} kind="person" size={30} image={photo} isWorking={isWorking} />
      <div className="min-w-0">
        <p className="break-words md:truncate" title={name}>
          <span className="font-medium">{name}</span>
          {user_id === person.id && <span className="text-ink-2"> you</span>}
        </p>
        <p className="break-words text-ink-2 text-meta md:truncate" title={email}>
          <BreakingAddress email={email} />
        </p>
        <p className="break-words text-ink-2 text-meta md:hidden">{position}</p>
      </div>
    </div>
  )
}

export function MemberWork({ work, now }: { readonly work: Work | undefined; readonly now: number }) {
  if (!work) return '–'
  return (
    <Link {...toCard(work.ref)} className="flex items-center gap-2 hover:underline">
      <span className="size-1.5 shrink-0 rounded-full bg-live-mark" aria-hidden />
      <span className="font-mono text-meta">{work.ref}</span>
      <span className="truncate">for {shortSpan(now - Date.parse(work.since))}</span>
    </Link>
  )
}

interface RoleProps {
  readonly member: Member
  /** All members are known, and no other is an admin. */
  readonly isOnlyAdmin: boolean
}

export function MemberRole({ member, isOnlyAdmin }: RoleProps) {
  const { isAdmin } = useBrand()
  return isAdmin ? <RoleSelect member={member} isOnlyAdmin={isOnlyAdmin} /> : wordOf(member.role)
}

const wordOf = (role: Member['role']) => roles.find(({ value }) => value === role)?.word

function RoleSelect({ member, isOnlyAdmin }: RoleProps) {
  const isMe = useMe().person.id === member.user_id
  const { brand_id, name: workspace } = useBrand()
  const canWrite = useCanWrite()
  const [isAsking, setAsking] = useState(false)
  const { user_id, name, role } = member
  const change = usePeopleAct(`The role of ${name} was not changed`, (next: string, api) =>
    api.changeMember({ params: { brand_id, user_id: String(user_id) }, body: { role: next } }),
  )
  if (isOnlyAdmin)
    return (
      <span
        title="Make someone else admin first"
        className="inline-flex h-[var(--ch-control)] w-26 items-center justify-between rounded-control border border-line-strong bg-sunken px-2.5 text-ink-2"
      >
        {wordOf(role)}
        <LockKeyhole size={14} aria-label="Make someone else admin first" />
      </span>
    )
  return (
    <>
      <SmallSelect
        label={`Role of ${name}`}
        options={roles}
        value={change.isPending ? change.variables : role}
        disabled={!canWrite || change.isPending}
        onChange={({ target: { value } }) => (isMe ? setAsking(true) : change.mutate(value))}
      />
      <Confirm
        open={isAsking}
        onOpenChange={setAsking}
        title="Make yourself a member?"
        consequences={[
          `You can no longer change who is in ${workspace}, its features, webhooks and guests.`,
          'Another admin can make you an admin again.',
        ]}
        action="Make me a member"
        busy={change.isPending}
        onConfirm={() => change.mutate('member', { onSettled: () => setAsking(false) })}
      />
    </>
  )
}
