import { refusal } from '../refusal.ts'

export const lessonNotFound = refusal(404, 'Lesson not found')
