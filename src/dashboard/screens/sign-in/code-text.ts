/** Reading a sign-in code out of whatever was pasted. */

export const CODE_DIGITS = 6
/** Digits of Arabic and of Persian keyboards. */
const OTHER_DIGITS = /[\u0660-\u0669\u06f0-\u06f9]/g
const TOGETHER = /(?<!\d)\d{6}(?!\d)/
/** `123 456`, `12-34-56`, `1 2 3 4 5 6` */
const APART = /(?<!\d)(?:\d[\s\u00a0\u202f.-]?){5}\d(?!\d)/

/** The digits of the code in a text: six that stand together, else six with signs between them, else all there are. */
export function codeIn(text: string): string {
  const plain = text.replace(OTHER_DIGITS, (digit) => String(digit.charCodeAt(0) & 15))
  const found = TOGETHER.exec(plain)?.[0] ?? APART.exec(plain)?.[0] ?? plain
  return found.replace(/\D/g, '').slice(0, CODE_DIGITS)
}
