/** Rarely needed: the bundle holds it packed. */
export const loadPrompts = (): Promise<
  Pick<typeof import('@clack/prompts'), 'confirm' | 'isCancel' | 'select' | 'password'>
> => import('@clack/prompts')
