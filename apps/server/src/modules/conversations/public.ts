export { createHiredSource, endHiredSources } from './sources/hired-sources.service.ts'
