/**
 * Splits the command of `--mail exec:COMMAND` into words without a shell: only spaces and quotes have a meaning. Single
 * quotes keep everything between them; double quotes too, except for `\"` and `\\`. Outside double quotes a backslash
 * is a backslash, so that Windows paths need no escapes.
 */

const COMMAND_CHARS_MAX = 4_000
const WORDS_MAX = 100

/** The program and its arguments. Throws an Error with what was expected and found, without the command. */
export function splitCommand(text: string): readonly [program: string, ...args: string[]] {
  if (text.length > COMMAND_CHARS_MAX) {
    throw new Error(`expected a command of at most ${COMMAND_CHARS_MAX} characters, found ${text.length}`)
  }
  // Line breaks would reach the program unseen; a NUL would cut a word short.
  if (/(?!\t)\p{Cc}/u.test(text)) throw new Error('expected a command without control characters, found one with them')
  const words: string[] = []
  let rest = text.replace(/^[ \t]+/, '')
  while (rest !== '') {
    const [word = '', after = ''] = WORD.exec(rest) ?? []
    if (word === '') throw new Error('expected every quote to be closed, found the end of the command inside one')
    words.push(word.replace(PIECE, (piece) => unquoted(piece)))
    rest = rest.slice(word.length + after.length)
  }
  const [program = '', ...args] = words
  if (program === '') throw new Error('expected a program after exec:, found none')
  if (words.length > WORDS_MAX) throw new Error(`expected at most ${WORDS_MAX} words, found ${words.length}`)
  return [program, ...args]
}

/** The parts of a word: plain characters, `'…'` and `"…"`, in any order without a space between them. */
const PIECE = /[^ \t'"]|'[^']*'|"(?:[^"\\]|\\[^])*"/g
const WORD = new RegExp(`^(?:${PIECE.source})+(?=([ \\t]+|$))`)

function unquoted(piece: string): string {
  if (piece.startsWith("'")) return piece.slice(1, -1)
  if (piece.startsWith('"')) return piece.slice(1, -1).replace(/\\(["\\])/g, '$1')
  return piece
}
