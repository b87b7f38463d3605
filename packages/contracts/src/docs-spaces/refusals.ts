import { refusal } from '../refusal.ts'

export const spaceNotFound = refusal(404, 'Space not found')
export const pageNotFound = refusal(404, 'Page not found')
export const spaceGuestNotFound = refusal(404, 'Guest not found')
export const pageChanged = refusal(409, 'This page has changed in the meantime')
export const alreadyGuest = refusal(409, 'This person is already a guest of this space')
export const spaceLimit = refusal(409, 'A workspace has at most 500 docs spaces')
export const pageLimit = refusal(409, 'A docs space has at most 2000 pages')
export const docsAccessLimit = refusal(
  409,
  'A workspace can share docs spaces with guests at most 1000 times',
)
