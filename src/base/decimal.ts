/**
 * Numbers that a double cannot hold (`9007199254740993`, `1e400`). A JSON number may have any length (RFC 8259 section
 * 6), and a filter compares without rounding: a Decimal keeps the text, and the parts that a comparison needs.
 */

/** value = sign × 0.digits × 10^exponent; digits without leading or trailing zeros, empty for zero. */
interface Parts {
  readonly sign: -1 | 0 | 1
  readonly exponent: number
  readonly digits: string
}

export class Decimal {
  /** The number as it stood in the JSON text. */
  readonly source: string
  #parts: Parts | undefined

  constructor(source: string) {
    this.source = source
  }

  /** Computed at the first comparison: most numbers of a body are only stored. */
  get parts(): Parts {
    return (this.#parts ??= partsOf(this.source))
  }

  /** Lets JSON.stringify write the number as it was read. */
  toJSON(): unknown {
    return rawJson(this.source)
  }

  toString(): string {
    return this.source
  }
}

/** Reads the text of one JSON number: as a double where that says the same value, else as a Decimal. */
export function parseNumber(source: string): number | Decimal {
  const double = Number(source)
  if (!Number.isFinite(double)) return new Decimal(source)
  // At most 15 digits survive, unless the number is so small that a double has fewer (IEEE 754, DBL_DIG).
  if (source.length <= DOUBLE_DIGITS && Math.abs(double) >= SMALL) return double
  if (String(double) === source) return double
  const [exact, kept] = [partsOf(source), partsOf(String(double))]
  const same = exact.sign === kept.sign && exact.exponent === kept.exponent && exact.digits === kept.digits
  return same ? double : new Decimal(source)
}

/** A reviver for JSON.parse that keeps the value of each number. It bounds no depth. */
export function reviveNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' && context?.source !== undefined ? parseNumber(context.source) : value
}

/** Whether a text is a JSON number (RFC 8259 section 6). */
export function isNumberText(text: string): boolean {
  return NUMBER.test(text)
}

/** Whether a double holds the number exactly. Also true for a text that is no JSON number. */
export function isDouble(text: string): boolean {
  return !isNumberText(text) || typeof parseNumber(text) === 'number'
}

/** Orders two numbers by value: negative, zero or positive. */
export function compareNumbers(a: number | Decimal, b: number | Decimal): number {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0
  return compareParts(partsOfValue(a), partsOfValue(b))
}

/** Drops the fraction, toward zero. Undefined where the whole part is too long to be worth computing with. */
export function truncate(value: number | Decimal): bigint | undefined {
  const { sign, exponent, digits } = partsOfValue(value)
  if (exponent > WHOLE_DIGITS_MAX) return undefined
  if (exponent <= 0) return 0n
  const whole = digits.slice(0, exponent).padEnd(exponent, '0')
  return BigInt(whole) * BigInt(sign)
}

export function isWhole(value: number | Decimal): boolean {
  return typeof value === 'number' ? Number.isInteger(value) : value.parts.digits.length <= value.parts.exponent
}

const WHOLE_DIGITS_MAX = 400
/** Decimal digits that a double always keeps, and a bound above which it does: 2 to the -1022 and some more. */
const [DOUBLE_DIGITS, SMALL] = [15, 1e-300]

/** ECMA-262 JSON.rawJSON, which TypeScript's library does not declare yet. */
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown }

const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

function partsOf(source: string): Parts {
  const match = NUMBER.exec(source)
  if (match === null) throw new Error(`Not a JSON number: ${source}`)
  const [, minus, whole = '', fraction = '', power = '0'] = match
  const all = whole + fraction
  // No pattern: one for the zeros at the end would restart at each zero, and take the square of a long number's length.
  let [start, end] = [0, all.length]
  while (start < end && all.charCodeAt(start) === ZERO) start++
  while (end > start && all.charCodeAt(end - 1) === ZERO) end--
  if (start === end) return { sign: 0, exponent: 0, digits: '' }
  const digits = all.slice(start, end)
  return { sign: minus === '-' ? -1 : 1, exponent: Number(power) + whole.length - start, digits }
}

const ZERO = 0x30

function partsOfValue(value: number | Decimal): Parts {
  return typeof value === 'number' ? partsOf(String(value)) : value.parts
}

function compareParts(a: Parts, b: Parts): number {
  if (a.sign !== b.sign) return a.sign - b.sign
  const magnitude =
    a.exponent !== b.exponent ? a.exponent - b.exponent : a.digits < b.digits ? -1 : a.digits > b.digits ? 1 : 0
  return a.sign < 0 ? -magnitude : magnitude
}

/** Whether a UTF-16 unit may stand in a number of JSON: a digit, a sign, a point, `e` or `E`. */
export function isOfNumber(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || unit === 0x2b || unit === 0x2d || unit === 0x2e || (unit | 0x20) === 0x65
}
