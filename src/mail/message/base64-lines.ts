/**
 * Base64 in lines (RFC 2045 section 6.8) that show no run of six digits.
 *
 * The alphabet has all digits, and its `+`, `/` and each line break part them from what is beside them, so by chance a
 * line says `/271828+`. Decoders skip line breaks wherever they are: a line is cut within such a run.
 */
import { codeRunsOf } from './code-runs.ts'

const LINE_CHARS_MAX = 76

/**
 * Cuts base64 into lines, of which the first begins with the prefix (no digit at its end, fewer than 70 characters).
 */
export function base64Lines(base64: string, prefix = ''): readonly string[] {
  const lines: string[] = []
  let line = prefix
  let at = 0
  while (at < base64.length) {
    let size = LINE_CHARS_MAX - line.length
    while (codeRunsOf(line + base64.slice(at, at + size)).length > 0) size--
    lines.push(line + base64.slice(at, at + size))
    at += size
    line = ''
  }
  return lines
}
