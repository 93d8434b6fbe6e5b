/**
 * The option `x` of `$regex`: white space and comments that are there for the reader of a pattern.
 *
 * JavaScript has no such flag, so they are taken out before the pattern is compiled. White space stays inside a
 * character class and where it is escaped; a comment runs from an unescaped `#` outside a class to the end of the line.
 */

export interface SpacelessPattern {
  readonly kept: string
  /** For each unit of `kept` its index in the source. */
  readonly origins: readonly number[]
}

/** The pattern without what the option `x` ignores. */
export function withoutPatternSpace(source: string): SpacelessPattern {
  let kept = ''
  const origins: number[] = []
  let inClass = false
  let skipped = false
  const keep = (text: string, from: number): void => {
    kept += text
    for (let i = 0; i < text.length; i++) origins.push(from)
  }
  for (let i = 0; i < source.length; i++) {
    const char = source.charAt(i)
    if (!inClass && (SPACE.test(char) || char === '#')) {
      if (char === '#') i = endOfLine(source, i)
      skipped = true
      continue
    }
    // `\1 0` is a reference and a digit; without the space it would be a reference to group 10.
    if (skipped && isDigit(char) && endsInNumber(kept)) keep('(?:)', i)
    skipped = false
    if (char === '\\') {
      keep(unescapedSpace(source.slice(i, i + 2)), i)
      i++
      continue
    }
    if (char === '[') inClass = true
    else if (char === ']') inClass = false
    keep(char, i)
  }
  return { kept, origins }
}

/** Whether a text ends in a backslash and digits. */
function endsInNumber(text: string): boolean {
  let end = text.length
  while (isDigit(text.charAt(end - 1))) end--
  return end < text.length && text.charAt(end - 1) === '\\'
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9'
}

const SPACE = /[ \t\n\v\f\r]/

/** The escape was for `x` alone: JavaScript with the flag `u` refuses it, and needs none. */
function unescapedSpace(escape: string): string {
  const char = escape.charAt(1)
  return char === '#' || SPACE.test(char) ? char : escape
}

function endOfLine(source: string, from: number): number {
  const end = source.indexOf('\n', from)
  return end < 0 ? source.length : end
}
