/** All but the version; the bundle holds it packed, so that little is compiled before it is known what is needed. */
export const loadRun = async (): Promise<typeof import('../run.ts')['run']> => (await import('../run.ts')).run
