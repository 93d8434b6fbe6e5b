/** A problem: one violation found in a document. A client writes its sentence from `code` and `params`. */
import { Failure, type FailureCode } from './failure.ts'

/** Every code of a problem. Codes are API: they never change. */
export const PROBLEM_CODES = [
  'required', 'blank', 'notText', 'notUnicode', 'tooLong', 'notChoice', 'notBoolean', 'notWholeNumber',
  'notDate', 'notEmail', 'notVersion', 'notList', 'notObject', 'notReference', 'unknownReference',
  'notId', 'otherId', 'reservedName', 'unknownName', 'tooMany', 'tooManyReferences', 'tooLarge',
  'tooDeep', 'overLimit', 'lastAdministrator', 'duplicate',
  'tooEarly', 'otherStatus', 'needsReview', 'notHttpUrl', 'notLanguageCode', 'notCountryCode',
  'notFilter', 'notName', 'notPublicationName', 'notContact', 'noFeed',
] as const
export type ProblemCode = (typeof PROBLEM_CODES)[number]

/** The failure of a request that has the problem, where that is not `invalidInput`. */
const FAILURES: { readonly [code in ProblemCode]?: FailureCode } = {
  overLimit: 'forbidden',
  lastAdministrator: 'forbidden',
  duplicate: 'conflict',
  needsReview: 'forbidden',
  noFeed: 'badRequest',
}

/** Parameters of the sentence, each a text: a limit, the allowed values, the model of a reference, a name, the status of a response. */
export const PROBLEM_PARAMS = ['max', 'choices', 'model', 'name', 'status'] as const
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
    super(FAILURES[code] ?? 'invalidInput', path === '' ? message : `${path}: ${message}`)
    this.problem = problem
  }
}
