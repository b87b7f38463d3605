import { BuildSettings, previewBuild } from '../profiles/build-settings.ts'
import { desk, route } from '../route.ts'
import * as refused from './refusals.ts'

export const getBuildSettings = route({
  id: 'fleet.getBuildSettings',
  method: 'POST',
  path: '/api/v1/desk-agent/build-settings',
  summary: 'Get the settings of a build on a desk',
  description:
    'For the sidecar. Signed with the key of the desk. Returns the settings that a build starts with now, as the preview of a build does for people. A profile that does not apply fails no build: `skipped` says why, and the defaults of the desk hold.',
  example: previewBuild.example,
  auth: desk('key'),
  body: previewBuild.body,
  responses: { 200: BuildSettings },
  refusals: [refused.clockOff, refused.sequenceUsed, refused.deskQuarantined, refused.deskReleased],
})
