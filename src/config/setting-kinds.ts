/** The kinds of settings, and how each is read from the text of a flag, a variable or a file. */

export interface Setting<T> {
  /** Reads the text of a flag or variable. Throws an Error that says what is wanted. */
  readonly parse: (text: string) => T
  readonly initial: T
  /** The default as text. */
  readonly shown: string
  readonly meaning: string
  /** Further environment variables, which the original service reads. */
  readonly synonyms?: readonly string[]
  /** Set by the flag alone, without a value. */
  readonly isSwitch?: true
  /** Hides the password in a text. */
  readonly mask?: (text: string) => string
}

export function text(initial: string, meaning: string): Setting<string> {
  const parse = (given: string): string => {
    if (given.trim() === '' || given.includes('\0')) throw new Error('expected a text that is not empty')
    return given
  }
  return { parse, initial, shown: initial, meaning }
}

export function optional<T>(
  parse: (text: string) => T,
  meaning: string,
  synonyms: readonly string[] = [],
): Setting<T | undefined> {
  return { parse, initial: undefined, shown: 'none', meaning, synonyms }
}

export function parsed<T>(parse: (text: string) => T, initial: string, meaning: string): Setting<T> {
  return { parse, initial: parse(initial), shown: initial, meaning }
}

interface WholeRange {
  readonly min?: number
  readonly max?: number
  readonly meaning: string
  readonly synonyms?: readonly string[]
}

export function whole(
  initial: number,
  { min = 0, max = 1_000_000, meaning, synonyms = [] }: WholeRange,
): Setting<number> {
  const parse = (given: string): number => {
    const value = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN
    if (!(value >= min && value <= max))
      throw new Error(`expected a whole number from ${min} to ${max}, found "${given}"`)
    return value
  }
  return { parse, initial, shown: String(initial), meaning, synonyms }
}

const ON_OFF: Readonly<Record<string, boolean>> = {
  on: true,
  true: true,
  '1': true,
  off: false,
  false: false,
  '0': false,
}

export function onOff(initial: boolean, meaning: string): Setting<boolean> {
  const parse = (given: string): boolean => {
    const value = ON_OFF[given.toLowerCase()]
    if (value === undefined) throw new Error(`expected on or off, found "${given}"`)
    return value
  }
  return { parse, initial, shown: initial ? 'on' : 'off', meaning, isSwitch: true }
}

export function oneOf<const V extends string>(values: readonly V[], meaning: string): Setting<V> {
  const [first] = values
  if (first === undefined) throw new Error('A choice needs values')
  const parse = (given: string): V => {
    const value = values.find((one) => one === given)
    if (value === undefined) throw new Error(`expected one of ${values.join(', ')}, found "${given}"`)
    return value
  }
  return { parse, initial: first, shown: first, meaning }
}

export function readPath(given: string): string {
  if (given.trim() === '' || given.includes('\0')) throw new Error('expected the path of a file, found none')
  return given
}
