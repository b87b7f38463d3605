/** Large and rarely needed: the bundle holds it packed. */
export const loadYaml = (): Promise<Pick<typeof import('yaml'), 'parse' | 'stringify' | 'Scalar'>> =>
  import('yaml')
