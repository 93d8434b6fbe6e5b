/**
 * JSON in which no number is rounded.
 *
 * The service keeps numbers of any length (RFC 8259 section 6). One that a double cannot hold stays the text that it is
 * (JSON.rawJSON, ECMA-262), so that saving a document changes nothing that the editor left alone. Browsers from before
 * 2025 may not know it, and round.
 */

/** What the library of TypeScript does not declare yet. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON?: (text: string) => object
  isRawJSON?: (value: unknown) => boolean
}
/** As many digits as every double can hold. */
const DIGITS_EXACT = 15

export function parseExactly(text: string): unknown {
  return JSON.parse(text, rawJSON === undefined ? undefined : (kept as Parameters<typeof JSON.parse>[1]))
}

/** Whether it stands for a number that is no double. */
export function isExactNumber(value: unknown): boolean {
  return isRawJSON?.(value) === true
}

function kept(_: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value
  const [mantissa = ''] = source.split(/e/i)
  const digits = mantissa.replace(/\D/g, '').replace(/^0+/, '')
  const isHeld = Number.isFinite(value) && digits.length <= DIGITS_EXACT && (value !== 0 || digits === '')
  return isHeld ? value : rawJSON?.(source)
}
