/** The network of desks: a /48 of the installation, 16 bits for the cell, 64 for the desk. */

/** `fd63:7265:7768::/48` and 0 give `fd63:7265:7768:0::/64`. */
export const networkOfCell = (prefix: string, cell: number): string =>
  `${prefix.slice(0, prefix.indexOf('::'))}:${cell.toString(16)}::/64`

/** No desk has it: theirs are made from the time. */
export const hubAddressOf = (network: string): string => network.replace('::/64', '::1')
