/** The entries of a comma-separated list, such as that of a setting, without white space around them and empty ones. */
export function splitCommaList(list: string): readonly string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}
