import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { newAction } from '../../../api/own-fetch.ts'
import { useBrand } from '../../../app/session.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { FormError } from '../../../ui/form-error.tsx'
import { Select } from '../../../ui/select.tsx'
import { say } from '../../../ui/toast.tsx'
import { errorOf, useForm } from '../../../ui/use-form.ts'
import { peopleApi, readPeopleAgain } from './people-data.ts'

export function InviteButton({ onClick }: { readonly onClick: () => void }) {
  const canWrite = useCanWrite()
  return (
    <Button look="primary" disabled={!canWrite} onClick={onClick}>
      <UserPlus size={15} aria-hidden />
      Invite people
    </Button>
  )
}

interface InviteProps {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

export function InviteDialog(dialog: InviteProps) {
  const { name } = useBrand()
  return (
    <Dialog {...dialog} title={`Invite to ${name}`} description="A link is sent there. It works for 7 days.">
      <InviteForm onDone={() => dialog.onOpenChange(false)} />
    </Dialog>
  )
}

function InviteForm({ onDone }: { readonly onDone: () => void }) {
  const { brand_id } = useBrand()
  const canWrite = useCanWrite()
  const [action] = useState(newAction)
  const form = useForm(
    async ({ email = '', role }) =>
      (
        await peopleApi.acting(action).workspaces.createInvitation({
          params: { brand_id },
          body: { email: email.trim(), role: role === 'admin' ? 'admin' : 'member' },
        })
      ).body,
    ({ email }) => {
      void readPeopleAgain()
      say(`An invitation is on its way to ${email}`)
      onDone()
    },
  )
  const wrong = errorOf(form.problem, 'email')
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-4" noValidate>
      <Field label="E-mail" name="email" type="email" required autoFocus error={wrong} />
      <Select
        label="As"
        name="role"
        defaultValue="member"
        options={[
          { value: 'member', word: 'Member: works on everything' },
          { value: 'admin', word: 'Admin: also decides who is in, and on what' },
        ]}
      />
      <FormError problem={wrong === undefined ? form.problem : undefined} />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="primary" busy={form.isBusy} disabled={!canWrite}>
          Send invitation
        </Button>
      </div>
    </form>
  )
}
