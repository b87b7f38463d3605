import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { newAction } from '../../../api/own-fetch.ts'
import { queries } from '../../../app/queries.ts'
import { useBrand } from '../../../app/session.ts'
import { Field } from '../../../ui/field.tsx'
import { errorOf, useForm } from '../../../ui/use-form.ts'
import { SettingsLayout } from '../settings-layout.tsx'
import { Box } from './box.tsx'
import { EraseBox, EraseDialog, EraseForm } from './erase-box.tsx'
import { brandErasureQuery, ownApi } from './own-data.ts'

export function WorkspacePage() {
  const { brand_id, name, isAdmin } = useBrand()
  return (
    <SettingsLayout title="Workspace">
      <div className="flex flex-col gap-8">
        <Box title="Workspace">
          <dl className="grid grid-cols-[auto_1fr] gap-x-8 gap-y-2 px-4 py-3">
            <dt className="text-ink-2">Name</dt>
            <dd className="break-words font-medium">{name}</dd>
            <dt className="text-ink-2">Id</dt>
            <dd className="font-mono text-meta leading-5">{brand_id}</dd>
          </dl>
        </Box>
        {isAdmin ? <EraseWorkspace /> : <p className="text-ink-2">Admins can delete {name}.</p>}
      </div>
    </SettingsLayout>
  )
}

function EraseWorkspace() {
  const { brand_id, name } = useBrand()
  const [isAsking, setAsking] = useState(false)
  const query = brandErasureQuery(brand_id)
  const erasure = useQuery(query)
  return (
    <>
      <EraseBox
        title="Delete the workspace"
        note="Boards, documents, webhooks, members, tokens, photos and settings, for everyone."
        what={name}
        erasure={erasure}
        onAsk={() => setAsking(true)}
        keep={async () => {
          await ownApi.acting(newAction()).identity.keepBrand({ params: { brand_id } })
          await queries.invalidateQueries({ queryKey: query.queryKey })
        }}
      />
      <EraseDialog
        open={isAsking}
        onOpenChange={setAsking}
        title={`Delete ${name}?`}
        consequences={[
          'It begins after a time in which any admin can take it back here.',
          'Then everything in it is removed for everyone. This cannot be undone.',
        ]}
      >
        <WorkspaceForm onDone={() => setAsking(false)} />
      </EraseDialog>
    </>
  )
}

function WorkspaceForm({ onDone }: { readonly onDone: () => void }) {
  const { brand_id, name } = useBrand()
  const form = useForm(
    ({ name: typed = '' }) =>
      ownApi.acting(newAction()).identity.eraseBrand({ params: { brand_id }, body: { name: typed } }),
    () => {
      void queries.invalidateQueries({ queryKey: brandErasureQuery(brand_id).queryKey })
      onDone()
    },
  )
  const wrong = errorOf(form.problem, 'name')
  return (
    <EraseForm form={form} wrong={wrong} action="Delete workspace" onCancel={onDone}>
      <Field
        label="Name of the workspace"
        name="name"
        required
        autoComplete="off"
        hint={`Type ${name} to confirm.`}
        error={wrong}
      />
    </EraseForm>
  )
}
