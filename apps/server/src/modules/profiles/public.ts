export { settingsOfBuild } from './builds.service.ts'
