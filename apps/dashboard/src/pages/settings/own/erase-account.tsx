import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { newAction } from '../../../api/own-fetch.ts'
import { queries } from '../../../app/queries.ts'
import { useMe } from '../../../app/session.ts'
import { Field } from '../../../ui/field.tsx'
import { errorOf, useForm } from '../../../ui/use-form.ts'
import { EraseBox, EraseDialog, EraseForm } from './erase-box.tsx'
import { myErasureQuery, ownApi } from './own-data.ts'

const readAgain = () => queries.invalidateQueries({ queryKey: myErasureQuery.queryKey })

export function EraseAccount() {
  const { memberships } = useMe()
  const erasure = useQuery(myErasureQuery)
  const [isAsking, setAsking] = useState(false)
  const nameOf = (id: number) =>
    memberships.find(({ brand_id }) => brand_id === id)?.name ?? `workspace ${id}`
  return (
    <>
      <EraseBox
        title="Delete your account"
        note="Your name, addresses and photos leave all workspaces. What you wrote stays with them."
        what="Your account"
        erasure={erasure}
        waitsFor={erasure.data?.waits_for.map(nameOf) ?? []}
        onAsk={() => setAsking(true)}
        keep={async () => {
          await ownApi.acting(newAction()).identity.keepMe()
          await readAgain()
        }}
      />
      <EraseDialog
        open={isAsking}
        onOpenChange={setAsking}
        title="Delete your account?"
        consequences={[
          'It begins after a time in which you can take it back here.',
          'Then all your sessions and tokens end, and boards show “Former member” for you.',
          'Workspaces without another member are deleted too.',
        ]}
      >
        <AccountForm onDone={() => setAsking(false)} />
      </EraseDialog>
    </>
  )
}

function AccountForm({ onDone }: { readonly onDone: () => void }) {
  const form = useForm(
    ({ password = '' }) => ownApi.acting(newAction()).identity.eraseMe({ body: { password } }),
    () => {
      void readAgain()
      onDone()
    },
  )
  const wrong = errorOf(form.problem, 'password')
  return (
    <EraseForm form={form} wrong={wrong} action="Delete account" onCancel={onDone}>
      <Field
        label="Your password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        error={wrong}
      />
    </EraseForm>
  )
}
