import type { Page } from '@crewhall/contracts/docs-spaces/pages.ts'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Ellipsis, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { newAction } from '../../api/own-fetch.ts'
import { queries } from '../../app/queries.ts'
import { useCanWrite } from '../../live/live.tsx'
import { IconButton } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { say, sayFailed } from '../../ui/toast.tsx'
import { docsApi, ownDocs, pagesQuery, type SpaceFacts } from './docs-data.ts'
import { EditView } from './edit-view.tsx'
import { PageView } from './page-view.tsx'
import { SpaceMenu } from './space-menu.tsx'
import { SpaceView } from './space-view.tsx'

export const OwnSpace = () => (
  <SpaceView source={ownDocs} menu={(space) => <SpaceMenu key={space.id} space={space} />} />
)

export const OwnPage = () => (
  <PageView source={ownDocs} menu={(space, page) => <PageMenu key={page.id} space={space} page={page} />} />
)

export const OwnEditPage = () => <EditView source={ownDocs} />

function PageMenu({ space, page }: { readonly space: SpaceFacts; readonly page: Page }) {
  const [isAsking, setAsking] = useState(false)
  const [action] = useState(newAction)
  const canWrite = useCanWrite()
  const navigate = useNavigate()
  const remove = useMutation({
    mutationFn: () =>
      docsApi.acting(action).docs.deletePage({ params: { space_id: space.id, page_id: page.id } }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: pagesQuery(ownDocs, space.id).queryKey })
      void navigate({ to: ownDocs.hrefs.space(space.id), replace: true })
      say(`${page.title} is deleted`)
    },
    onError: (error) => sayFailed('The page was not deleted', error),
    onSettled: () => setAsking(false),
  })
  return (
    <>
      <Menu
        align="end"
        trigger={
          <IconButton label="More">
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        }
      >
        <MenuItem icon={Trash2} disabled={!canWrite} onSelect={() => setAsking(true)}>
          Delete page
        </MenuItem>
      </Menu>
      <Confirm
        open={isAsking}
        onOpenChange={setAsking}
        title={`Delete ${page.title}?`}
        consequences={[
          `It leaves ${space.name} at once, for members and for guests of the space.`,
          'Its text is gone. It cannot be brought back.',
        ]}
        action="Delete page"
        is_final
        busy={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
    </>
  )
}
