interface Beside {
  readonly before_id?: string | undefined
  readonly after_id?: string | undefined
}

/** The ids with one of them moved right before or after another; undefined if that is not among them. */
export function orderAfter(
  ids: readonly string[],
  id: string,
  { before_id, after_id }: Beside,
): readonly string[] | undefined {
  const beside = after_id ?? before_id
  if (beside === undefined) return ids
  const others = ids.filter((each) => each !== id)
  const at = others.indexOf(beside)
  if (at < 0) return undefined
  // With both, it goes right under the upper one, and the lower one has to be below it.
  if (after_id !== undefined && before_id !== undefined && others.indexOf(before_id) <= at) return undefined
  const to = after_id === undefined ? at : at + 1
  return [...others.slice(0, to), id, ...others.slice(to)]
}
