/**
 * What is wrong with a body, told as data: where, and in which words.
 *
 * Whoever judges a part of a body reports what is wrong and goes on. Creating and replacing give up at the first report,
 * and it is the answer; checking collects. So the judgement itself stands in one place, and a check finds exactly what
 * the real request would.
 */
import { fail, type Failure } from '../base/failure.ts'
import { JSON_DEPTH_MAX, type JsonObject } from '../base/json.ts'

/** Problems that one check tells of. */
const PROBLEMS_MAX = 50
/** Characters of a path: names of members may be as long as the body. */
const PATH_CHARS_MAX = 1_000

export interface Problem {
  /** What the request fails with. */
  readonly code: 'invalidInput' | 'forbidden' | 'conflict'
  /** The member, as in `source.language.code` and `followedTopics[2]`; empty for the body as a whole. */
  readonly path: string
  readonly message: string
}

/** Takes a problem. It may throw, to end the work, and otherwise wants to hear of the next. */
export type Report = (problem: Problem) => void

/** Ends the work at the first problem, with the failure that the caller is answered. */
export const refuse: Report = (problem) => {
  throw failureOf(problem)
}

/** The failure that a problem is to the caller. */
export function failureOf(problem: Problem): Failure {
  const { code, path, message } = shortened(problem)
  return fail(code, path === '' ? message : `${path}: ${message}`)
}

/** Reports a member that is not as it has to be. */
export function reportInvalid(report: Report, path: string, message: string): void {
  report({ code: 'invalidInput', path, message })
}

/**
 * Stands in a body for a part of which a problem was reported already, and of which nothing more is to be said. It
 * never gets into a document that is stored.
 */
export const REPORTED: JsonObject = Object.freeze({})

/** That a document nests deeper than JSON_DEPTH_MAX, and so than what can be read again. */
export const TOO_DEEP =
  `Cannot store a document of more than ${JSON_DEPTH_MAX} levels, ` + 'those of its embedded records included'

/** The problems that the work reports, in its order, at most PROBLEMS_MAX; after that the work is cut off. */
export async function collectProblems(work: (report: Report) => Promise<void>): Promise<readonly Problem[]> {
  const problems: Problem[] = []
  const enough = new Error('enough problems')
  try {
    await work((problem) => {
      problems.push(shortened(problem))
      if (problems.length === PROBLEMS_MAX) throw enough
    })
  } catch (error) {
    if (error !== enough) throw error
  }
  return problems
}

/** The problem that a failure tells of one member, of whose name the message begins with. */
export function problemOf({ code, message }: Failure, path: string): Problem {
  if (code !== 'invalidInput' && code !== 'conflict') throw new Error(`A member cannot be the reason for ${code}`)
  const prefix = `${path}: `
  return message.startsWith(prefix)
    ? { code, path, message: message.slice(prefix.length) }
    : { code, path: '', message }
}

function shortened(problem: Problem): Problem {
  const { path } = problem
  return path.length <= PATH_CHARS_MAX ? problem : { ...problem, path: `${path.slice(0, PATH_CHARS_MAX)}…` }
}
