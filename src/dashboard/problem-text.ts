/** The sentence about a problem of a document, or about a request that failed, in the reader's language. */
import { DatelineError } from '../client/client.ts'
import { withoutIndex } from './batches.ts'
import { currentLanguage, t, textOr } from './texts.ts'

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
  const { max, choices = '', name = '', status = '' } = params
  if (rule === 'noFeed') return textOr('problem.noFeed', message, { problem: textOr(`feedProblem.${name}`, message, { status }) })
  const values = { count: Number(max), choices, name }
  const general = textOr(`problem.${rule}`, message, values)
  return textOr(`problem.${rule}.${path.split('.').at(-1) ?? ''}`, general, values)
}

/** Failures that the service describes by their mechanism, which tells a reader nothing: they have our words in every language. */
const TECHNICAL: readonly string[] = ['preconditionFailed', 'unreadableReply']

/**
 * The text about a request that failed. The service's own message says more than a text of the code, but in English: readers
 * of other languages get the text, and the message as words of the service where the code has none.
 */
export function failureText({ code, message }: Pick<DatelineError, 'code' | 'message'>): string {
  const isEnglish = currentLanguage() === 'en'
  if (isEnglish && !TECHNICAL.includes(code)) return message
  return textOr(`failed.${code}`, isEnglish ? message : t('failed.said', { message: withoutIndex(message) }))
}
