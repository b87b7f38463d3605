import { z } from 'zod'
import { lessonFields } from './lesson.ts'

/** LES-67: a lesson as somebody needs it who works near its code. */
export const LessonBrief = z.object(lessonFields).meta({ id: 'LessonBrief' })
export type LessonBrief = z.infer<typeof LessonBrief>
