/** Which of the generated files differ from what is on disk, or are not there. */
export const staleFiles = (
  files: ReadonlyMap<string, string>,
  read: (path: string) => string | undefined,
): [path: string, text: string][] => [...files].filter(([path, text]) => read(path) !== text)
