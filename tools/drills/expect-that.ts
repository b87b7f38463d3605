export function expectThat(holds: unknown, fault: string): asserts holds {
  if (!holds) throw new Error(fault)
}
