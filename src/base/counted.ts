/** Numbers with their units, for the operator. */

/** `1 item`, `3 items`; `many` where the plural is another word. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** `1.03 GB`, `12.4 MB`, `8.2 kB`, `512 bytes` */
export function sizeText(bytes: number): string {
  const round = Math.round(bytes)
  if (round < 1e3) return counted(round, 'byte')
  const [unit, digits] = round >= 1e9 ? (['GB', 2] as const) : round >= 999_950 ? (['MB', 1] as const) : (['kB', 1] as const)
  return `${(round / { GB: 1e9, MB: 1e6, kB: 1e3 }[unit]).toFixed(digits)} ${unit}`
}
