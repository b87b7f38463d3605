import { useMutation, useQuery } from '@tanstack/react-query'
import { Camera, CircleCheck, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { newAction } from '../../../api/own-fetch.ts'
import { useBrand, useMe } from '../../../app/session.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { Avatar } from '../../../ui/avatar.tsx'
import { Button } from '../../../ui/button.tsx'
import { ErrorState, SkeletonRows } from '../../../ui/states.tsx'
import { say, sayFailed } from '../../../ui/toast.tsx'
import { memberQuery } from '../people/people-data.ts'
import { PhotoDialog } from '../people/photo-dialog.tsx'
import { SettingsLayout } from '../settings-layout.tsx'
import { Box } from './box.tsx'
import { EraseAccount } from './erase-account.tsx'
import { ownApi } from './own-data.ts'
import { PasswordForm } from './password-form.tsx'
import { SessionList } from './session-list.tsx'

export function ProfilePage() {
  return (
    <SettingsLayout title="Profile">
      <div className="flex flex-col gap-8">
        <You />
        <PasswordForm />
        <SessionList />
        <EraseAccount />
      </div>
    </SettingsLayout>
  )
}

/** How others in the workspace see the reader. */
function You() {
  const { person } = useMe()
  const { brand_id, name: workspace, isAdmin } = useBrand()
  const canWrite = useCanWrite()
  const [isChanging, setChanging] = useState(false)
  const { data, error, refetch } = useQuery(memberQuery(brand_id, person.id))
  return (
    <Box title="You" note={`As everyone in ${workspace} sees you.`}>
      {error && !data ? (
        <ErrorState error={error} what="Your profile" onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={2} />
      ) : (
        <>
          <div className="flex flex-wrap items-center gap-4 border-line border-b px-4 py-4">
            <Avatar name={data.name} id={String(person.id)} kind="person" size={40} image={data.photo} />
            <div className="min-w-0 grow">
              <p className="break-words font-semibold text-read">{data.name}</p>
              <p className="break-words text-ink-2">
                {data.position ?? 'No position'}, {data.role}
              </p>
            </div>
            {isAdmin ? (
              <Button disabled={!canWrite} onClick={() => setChanging(true)}>
                <Camera size={14} aria-hidden />
                Change photo
              </Button>
            ) : (
              <p className="text-ink-2 text-meta">Admins change photos and positions.</p>
            )}
          </div>
          <Address />
          <PhotoDialog member={data} open={isChanging} onOpenChange={setChanging} />
        </>
      )}
    </Box>
  )
}

/** The address that the reader signs in with, and whether it is known to be theirs. */
function Address() {
  const { person } = useMe()
  const canWrite = useCanWrite()
  const resend = useMutation({
    mutationFn: () => ownApi.acting(newAction()).identity.resendEmailProof(),
    onSuccess: () =>
      say(`A link is on its way to ${person.email}`, { note: 'The one before stopped working.' }),
    onError: (error) => sayFailed('The link was not sent', error),
  })
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 grow">
        <p className="break-all">{person.email}</p>
        {person.email_verified ? (
          <p className="flex items-center gap-1.5 text-meta text-ok">
            <CircleCheck size={14} aria-hidden />
            Confirmed
          </p>
        ) : (
          <p className="flex items-center gap-1.5 text-meta text-warn">
            <TriangleAlert size={14} className="shrink-0" aria-hidden />
            Not confirmed. What is shared with this address opens once it is.
          </p>
        )}
      </div>
      {!person.email_verified && (
        <Button busy={resend.isPending} disabled={!canWrite} onClick={() => resend.mutate()}>
          Send the link again
        </Button>
      )}
    </div>
  )
}
