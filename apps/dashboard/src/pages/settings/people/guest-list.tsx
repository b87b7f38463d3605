import type { Guest } from '@crewhall/contracts/workspaces/guests.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Globe } from 'lucide-react'
import { useState } from 'react'
import { useBrand } from '../../../app/session.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { Avatar } from '../../../ui/avatar.tsx'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { State } from '../../../ui/states.tsx'
import { Table } from '../../../ui/table.tsx'
import { say } from '../../../ui/toast.tsx'
import { guestsQuery, invitationsQuery, usePeopleAct } from './people-data.ts'
import { SectionHead } from './section-head.tsx'

export function GuestList({ heading = false }: { readonly heading?: boolean }) {
  const { brand_id } = useBrand()
  const { data, error, refetch } = useQuery(guestsQuery(brand_id))
  const { data: open } = useInfiniteQuery(invitationsQuery(brand_id))
  const invited = new Set(
    open?.pages
      .flatMap((page) => page.invitations)
      .filter(({ status }) => status === 'pending')
      .map(({ email }) => email),
  )
  if (heading && !data?.total && !error) return null
  const people = data && `${data.total} ${data.total === 1 ? 'person' : 'people'} from outside`
  return (
    <section aria-label="Guests">
      {heading && data && <SectionHead title="Guests" note={`${people}, they see only what is listed`} />}
      <Table
        read={{ what: 'The guests', error, refetch }}
        rows={data?.guests}
        keyOf={({ user_id }) => user_id}
        expected={3}
        phoneCards
        withoutHead
        empty={
          <State icon={Globe} title="No guests">
            A guest is a person from outside who sees single boards or documents. Share a board or a space to
            let one in.
          </State>
        }
        columns={[
          { name: 'Guest', width: 'w-[28%]', cell: (guest) => <GuestName guest={guest} /> },
          {
            name: 'Can open',
            cell: ({ access }) => (
              <ul aria-label="Can open" className="flex flex-wrap gap-1.5">
                {access.map(({ resource_id, name, role }) => (
                  <li
                    key={resource_id}
                    className="max-w-full break-words rounded-tag border border-line-strong px-1.5 text-ink-2 text-meta"
                  >
                    {name}
                    {role !== null && `, ${role}`}
                  </li>
                ))}
              </ul>
            ),
          },
          {
            name: 'Actions',
            width: 'w-60',
            hasActions: true,
            cell: (guest) => <Actions guest={guest} isInvited={invited.has(guest.email)} />,
          },
        ]}
      />
    </section>
  )
}

function GuestName({ guest: { user_id, email, full_name, image } }: { readonly guest: Guest }) {
  return (
    <div className="flex min-w-0 items-center gap-2.5">
      <Avatar name={full_name} id={String(user_id)} kind="person" image={image} />
      <div className="min-w-0">
        <p className="truncate font-medium" title={full_name}>
          {full_name}
        </p>
        <p className="truncate text-ink-2 text-meta" title={email}>
          {email}
        </p>
      </div>
    </div>
  )
}

function Actions({ guest, isInvited }: { readonly guest: Guest; readonly isInvited: boolean }) {
  const { brand_id, name: workspace } = useBrand()
  const canWrite = useCanWrite()
  const [isAsking, setAsking] = useState(false)
  const { user_id, email, full_name, access } = guest
  const params = { brand_id, user_id: String(user_id) }
  const invite = usePeopleAct(`${full_name} was not invited`, (_: undefined, api) =>
    api.makeMember({ params }),
  )
  const remove = usePeopleAct(`${full_name} was not removed`, (_: undefined, api) =>
    api.removeGuest({ params }),
  )
  return (
    <>
      <div className="flex items-center gap-1 md:justify-end">
        {isInvited ? (
          <span className="px-2 text-ink-2 text-meta">invited, stays guest until accepted</span>
        ) : (
          <Button
            size="s"
            busy={invite.isPending}
            disabled={!canWrite}
            aria-label={`Make member: ${full_name}`}
            onClick={() =>
              invite.mutate(undefined, {
                onSuccess: () =>
                  say(`An invitation is on its way to ${email}`, { note: 'They stay a guest until then.' }),
              })
            }
          >
            Make member
          </Button>
        )}
        <Button
          size="s"
          look="quiet"
          disabled={!canWrite}
          aria-label={`Remove ${full_name}`}
          onClick={() => setAsking(true)}
        >
          Remove
        </Button>
      </div>
      <Confirm
        open={isAsking}
        onOpenChange={setAsking}
        title={`Remove ${full_name} from ${workspace}?`}
        consequences={[
          `They can no longer open ${access.map(({ name }) => name).join(', ')}.`,
          'What they wrote stays.',
        ]}
        action="Remove"
        is_final
        busy={remove.isPending}
        onConfirm={() => remove.mutate(undefined, { onSettled: () => setAsking(false) })}
      />
    </>
  )
}
