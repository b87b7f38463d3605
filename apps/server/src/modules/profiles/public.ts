export { settingsOfBuild } from './builds.service.ts'
export { isKnownProfile } from './profiles.service.ts'
