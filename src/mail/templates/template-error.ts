/** What is wrong with a template, in one sentence that names the file and the line. */

/** A template that cannot be used; the message is for the operator. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}

/** A text and where it came from. */
export interface TemplateSource {
  /** Path of the file. */
  readonly file: string
  readonly text: string
  /** Number of the first line of the text in its file; 1 without it. */
  readonly firstLine?: number
}

/** The error for what stands at the offset of the text; the problem says what was found and what is wanted. */
export function refusedTemplate(
  { file, text, firstLine = 1 }: TemplateSource,
  at: number,
  problem: string,
): TemplateError {
  const line = firstLine + text.slice(0, at).split('\n').length - 1
  return new TemplateError(`Cannot use template "${file}", line ${line}: ${problem}`)
}
