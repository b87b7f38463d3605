import { docsHrefs, paths } from '../../app/paths.ts'
import { mayWrite, sharedApi } from '../../app/shared.ts'
import { type DocsSource, partAfter } from '../docs/docs-data.ts'
import { EditView } from '../docs/edit-view.tsx'
import { PageView } from '../docs/page-view.tsx'
import { SpaceView } from '../docs/space-view.tsx'

/** Docs spaces of other workspaces, as their guest has them. */
const sharedDocs: DocsSource = {
  subject: 'shared-docs',
  label: 'Shared with you',
  hrefs: { ...docsHrefs(paths.sharedDocs), spaces: paths.shared },
  readSpace: async (space_id, signal) => {
    const { body } = await sharedApi.reading(signal).docs.getShared({ params: { space_id } })
    return { id: body.id, name: body.name, can_write: mayWrite(body.role) }
  },
  listPages: async (space_id, after, signal) =>
    (await sharedApi.reading(signal).docs.listSharedPages({ params: { space_id }, query: partAfter(after) }))
      .body,
  readPage: async (space_id, page_id, signal) =>
    (await sharedApi.reading(signal).docs.getSharedPage({ params: { space_id, page_id } })).body,
  createPage: async (action, space_id, body) =>
    (await sharedApi.acting(action).docs.createSharedPage({ params: { space_id }, body })).body,
  changePage: async (action, space_id, page_id, body) =>
    (await sharedApi.acting(action).docs.changeSharedPage({ params: { space_id, page_id }, body })).body,
}

export const SharedSpace = () => <SpaceView source={sharedDocs} />
export const SharedPage = () => <PageView source={sharedDocs} />
export const SharedEditPage = () => <EditView source={sharedDocs} />
