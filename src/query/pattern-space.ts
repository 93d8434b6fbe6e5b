/**
 * The option `x` of `$regex`: white space and comments that are there for the reader of a pattern.
 *
 * JavaScript has no such flag, so they are taken out before the pattern is compiled. White space stays inside a
 * character class and where it is escaped; a comment runs from an unescaped `#` outside a class to the end of the line.
 */

/** The pattern without what the option `x` ignores. */
export function withoutPatternSpace(source: string): string {
  let kept = ''
  let inClass = false
  let skipped = false
  for (let i = 0; i < source.length; i++) {
    const char = source.charAt(i)
    if (!inClass && (SPACE.test(char) || char === '#')) {
      if (char === '#') i = endOfLine(source, i)
      skipped = true
      continue
    }
    // `\1 0` is a reference and a digit; without the space it would be a reference to group 10.
    if (skipped && /\d/.test(char) && /\\\d+$/.test(kept)) kept += '(?:)'
    skipped = false
    if (char === '\\') {
      kept += unescapedSpace(source.slice(i, i + 2))
      i++
      continue
    }
    if (char === '[') inClass = true
    else if (char === ']') inClass = false
    kept += char
  }
  return kept
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
