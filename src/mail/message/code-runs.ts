/**
 * Six digits that stand alone: phones and mail programs recognise them as a sign-in code, in the text and some in the raw
 * message too. So nothing else in our mails may look like that: no boundary, no colour of a template, no line of base64.
 */

/** Digits of any script; a letter, a digit or an underscore beside them makes them part of a word. */
const CODE_RUN = /(?<![\p{Nd}\w])\p{Nd}{6}(?![\p{Nd}\w])/gu

/** All runs of six digits that stand alone, in their order. */
export function codeRunsOf(text: string): readonly string[] {
  return text.match(CODE_RUN) ?? []
}
