/** Large and rarely needed: the bundle holds it packed. */
export const loadJq = (): Promise<Pick<typeof import('jq-wasm'), 'raw'>> => import('jq-wasm')
