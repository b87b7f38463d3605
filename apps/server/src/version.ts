import manifest from '../package.json' with { type: 'json' }

/** SYS-11: the semantic version of the running API. */
export const { version } = manifest
