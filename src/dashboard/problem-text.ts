/** The sentence about a problem of a document, in the reader's language. */
import { DatelineError } from '../client/client.ts'
import { textOr } from './texts.ts'

/** As the service reports it. A later version may have codes that this page does not know. */
export interface Problem {
  /** The member; empty for the document as a whole. */
  readonly path: string
  readonly code: string
  readonly params: { readonly [name: string]: string | undefined }
  readonly message: string
}

/** The problem for which a request was rejected; undefined for any other error. */
export function problemOf(error: unknown): Problem | undefined {
  return error instanceof DatelineError ? error.problems[0] : undefined
}

/** A text of the code for the field, such as "Enter a title", else of the code, else the service's English message. */
export function problemText({ path, code, params, message }: Problem): string {
  // To a reader they are the same: there is nothing in the field yet.
  const rule = code === 'blank' || code === 'notReference' ? 'required' : code
  const { max, choices = '', name = '' } = params
  const values = { count: Number(max), choices, name }
  const general = textOr(`problem.${rule}`, message, values)
  return textOr(`problem.${rule}.${path.split('.').at(-1) ?? ''}`, general, values)
}
