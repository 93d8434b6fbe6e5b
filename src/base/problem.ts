/**
 * A problem: one violation found in a document, as data for programs and as a sentence for users.
 *
 * `code` and `params` let a client write the sentence in its reader's language; `message` is the English one.
 */
import { Failure, type FailureCode } from './failure.ts'

/** Every code of a problem, with the failure of a request that has it. Codes are API: they never change. */
const FAILURES = {
  required: 'invalidInput',
  blank: 'invalidInput',
  notText: 'invalidInput',
  notUnicode: 'invalidInput',
  tooLong: 'invalidInput',
  notChoice: 'invalidInput',
  notBoolean: 'invalidInput',
  notWholeNumber: 'invalidInput',
  notDate: 'invalidInput',
  notEmail: 'invalidInput',
  notVersion: 'invalidInput',
  notList: 'invalidInput',
  notObject: 'invalidInput',
  notReference: 'invalidInput',
  unknownReference: 'invalidInput',
  notId: 'invalidInput',
  otherId: 'invalidInput',
  reservedName: 'invalidInput',
  unknownName: 'invalidInput',
  tooMany: 'invalidInput',
  tooManyReferences: 'invalidInput',
  tooLarge: 'invalidInput',
  tooDeep: 'invalidInput',
  overLimit: 'forbidden',
  lastAdministrator: 'forbidden',
  duplicate: 'conflict',
} as const satisfies Readonly<Record<string, FailureCode>>

export type ProblemCode = keyof typeof FAILURES
export const PROBLEM_CODES = Object.keys(FAILURES) as readonly ProblemCode[]

/** Parameters of the sentence, each a text: a limit, the allowed values, the model of a reference, a name. */
export const PROBLEM_PARAMS = ['max', 'choices', 'model', 'name'] as const
export type ProblemParams = { readonly [name in (typeof PROBLEM_PARAMS)[number]]?: string }

export interface Problem {
  /** The member, as in `source.language.code` and `followedTopics[2]`; empty for the document as a whole. */
  readonly path: string
  readonly code: ProblemCode
  readonly params: ProblemParams
  readonly message: string
}

/** The failure of a request because of a problem. */
export class ProblemFailure extends Failure {
  readonly problem: Problem

  constructor(problem: Problem) {
    const { code, path, message } = problem
    super(FAILURES[code], path === '' ? message : `${path}: ${message}`)
    this.problem = problem
  }
}
