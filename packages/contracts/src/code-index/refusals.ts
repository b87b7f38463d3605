import { refusal } from '../refusal.ts'

export const maxProjects = 500

export const projectNotFound = refusal(404, 'Project not found')
export const projectArchived = refusal(409, 'The project is archived')
export const projectLimit = refusal(
  409,
  `A workspace has at most ${maxProjects} projects that are not archived`,
)
export const unknownCursor = refusal(422, 'cursor: must be a next_cursor of this list')
