import type { Member } from '@crewhall/contracts/workspaces/members.ts'
import { useState } from 'react'
import { newAction } from '../../../api/own-fetch.ts'
import { useBrand } from '../../../app/session.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { FormError } from '../../../ui/form-error.tsx'
import { say } from '../../../ui/toast.tsx'
import { errorOf, useForm } from '../../../ui/use-form.ts'
import { peopleApi, readPeopleAgain } from './people-data.ts'

interface OfMember {
  readonly member: Member
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}

export function PositionDialog({ member, ...dialog }: OfMember) {
  return (
    <Dialog {...dialog} title={`Position of ${member.name}`}>
      <PositionForm member={member} onDone={() => dialog.onOpenChange(false)} />
    </Dialog>
  )
}

interface FormProps {
  readonly member: Member
  readonly onDone: () => void
}

function PositionForm({ member, onDone }: FormProps) {
  const { brand_id } = useBrand()
  const canWrite = useCanWrite()
  const [action] = useState(newAction)
  const params = { brand_id, user_id: String(member.user_id) }
  const form = useForm(
    ({ position = '' }) =>
      peopleApi
        .acting(action)
        .workspaces.changeMember({ params, body: { position: position.trim() || null } }),
    () => {
      void readPeopleAgain()
      onDone()
    },
  )
  const wrong = errorOf(form.problem, 'position')
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-4" noValidate>
      <Field
        label="Position"
        name="position"
        autoFocus
        defaultValue={member.position ?? ''}
        placeholder="Engineering lead"
        hint="Everyone in the workspace sees it. Empty takes it away."
        error={wrong}
      />
      <FormError problem={wrong === undefined ? form.problem : undefined} />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="primary" busy={form.isBusy} disabled={!canWrite}>
          Save
        </Button>
      </div>
    </form>
  )
}

export function PasswordDialog({ member, ...dialog }: OfMember) {
  return (
    <Dialog
      {...dialog}
      title={`Set a password for ${member.name}`}
      description="It replaces the one they have and ends their sessions."
    >
      <PasswordForm member={member} onDone={() => dialog.onOpenChange(false)} />
    </Dialog>
  )
}

function PasswordForm({ member, onDone }: FormProps) {
  const { brand_id } = useBrand()
  const canWrite = useCanWrite()
  const [action] = useState(newAction)
  const params = { brand_id, user_id: String(member.user_id) }
  const form = useForm(
    async ({ password = '', send_email }) =>
      (
        await peopleApi.acting(action).workspaces.setMemberPassword({
          params,
          body: { password, send_email: send_email !== undefined },
        })
      ).body,
    () => {
      void readPeopleAgain()
      say(`${member.name} has a new password`)
      onDone()
    },
  )
  const wrong = errorOf(form.problem, 'password')
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-4" noValidate>
      <Field
        label="New password"
        name="password"
        type="password"
        autoComplete="new-password"
        required
        autoFocus
        hint="At least 8 characters."
        error={wrong}
      />
      <label className="flex items-center gap-2">
        <input type="checkbox" name="send_email" defaultChecked className="size-4 accent-ink" />
        Tell {member.email} by mail, without the password
      </label>
      <FormError problem={wrong === undefined ? form.problem : undefined} />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="primary" busy={form.isBusy} disabled={!canWrite}>
          Set password
        </Button>
      </div>
    </form>
  )
}
