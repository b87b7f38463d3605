/** How a result may be printed, whatever the command. */
export const outputs = ['table', 'tsv', 'json', 'yaml', 'md'] as const
export type Output = (typeof outputs)[number]
