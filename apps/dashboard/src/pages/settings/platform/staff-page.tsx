import { platformAdminRequired } from '@crewhall/contracts/identity/refusals.ts'
import { useState } from 'react'
import { newAction } from '../../../api/own-fetch.ts'
import { useMe } from '../../../app/session.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { Button } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { NoPermission } from '../../../ui/states.tsx'
import { Frame } from '../../../ui/table.tsx'
import { say } from '../../../ui/toast.tsx'
import { SettingsLayout } from '../settings-layout.tsx'
import { platformApi, usePlatformDeed } from './platform-data.ts'

/** People are named by number: the installation keeps no list of people that its operators may read. */
export function StaffPage() {
  const { person } = useMe()
  const canWrite = useCanWrite()
  const [id, setId] = useState('')
  const [asking, setAsking] = useState<'add' | 'remove'>()
  const close = () => setAsking(undefined)
  const add = usePlatformDeed(
    `Person ${id} is no platform admin`,
    async () => (await platformApi.acting(newAction()).identity.addStaff({ params: { person_id: id } })).body,
    ({ person_id }) => {
      close()
      say(`Person ${person_id} is a platform admin`)
    },
  )
  const remove = usePlatformDeed(
    `Person ${id} was not removed`,
    async () =>
      (await platformApi.acting(newAction()).identity.removeStaff({ params: { person_id: id } })).body,
    ({ person_id }) => {
      close()
      say(`Person ${person_id} is no longer a platform admin`)
    },
  )
  // There is nothing to read that the server could refuse.
  if (!person.is_staff)
    return (
      <SettingsLayout title="Platform admins">
        <Frame>
          <NoPermission text={platformAdminRequired.text} what="this page" />
        </Frame>
      </SettingsLayout>
    )
  return (
    <SettingsLayout title="Platform admins">
      <div className="flex max-w-160 flex-col gap-4">
        <p className="text-ink-2">
          Platform admins manage plans, workspaces and the catalog of this installation. They see no content
          of workspaces. People are named by their number, which the audit log has; yours is {person.id}.
        </p>
        <Field
          label="Number of the person"
          name="person"
          inputMode="numeric"
          value={id}
          onChange={(event) => setId(event.target.value.trim())}
        />
        <div className="flex gap-2">
          <Button look="primary" disabled={!canWrite || id === ''} onClick={() => setAsking('add')}>
            Make platform admin
          </Button>
          <Button disabled={!canWrite || id === ''} onClick={() => setAsking('remove')}>
            Remove
          </Button>
        </div>
      </div>
      <Confirm
        open={asking === 'add'}
        onOpenChange={(open) => setAsking(open ? 'add' : undefined)}
        title={`Make person ${id} a platform admin?`}
        consequences={['They may change plans, workspaces, the catalog and platform admins, you included.']}
        action="Make platform admin"
        busy={add.isPending}
        onConfirm={() => add.mutate(undefined)}
      />
      <Confirm
        open={asking === 'remove'}
        onOpenChange={(open) => setAsking(open ? 'remove' : undefined)}
        title={`Remove person ${id} as a platform admin?`}
        consequences={['They lose these pages at once. Their workspaces are not affected.']}
        action="Remove"
        busy={remove.isPending}
        onConfirm={() => remove.mutate(undefined)}
      />
    </SettingsLayout>
  )
}
