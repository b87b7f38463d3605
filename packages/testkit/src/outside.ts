/** For tests of adapters that ask for proof that no transaction is open; in the product a context carries it. */
export const outside = { is_outside: true } as const
