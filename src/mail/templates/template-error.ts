/** A template that cannot be used: one sentence for the operator that names the file and the line. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'
}

export interface TemplateSource {
  readonly file: string
  readonly text: string
  /** Number of the first line of the text in its file; 1 without it. */
  readonly firstLine?: number
}

/** An error at an offset of the text; the problem says what was expected and found. */
export function templateError(
  { file, text, firstLine = 1 }: TemplateSource,
  at: number,
  problem: string,
): TemplateError {
  const line = firstLine + text.slice(0, at).split('\n').length - 1
  return new TemplateError(`Cannot use template "${file}", line ${line}: ${problem}`)
}
