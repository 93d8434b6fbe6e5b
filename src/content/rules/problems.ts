/**
 * How the problems of a body are reported. Creating and replacing stop at the first report, which becomes the failure
 * of the request; checking collects all. So a check finds exactly what the real request would.
 */
import { JSON_DEPTH_MAX, type JsonObject } from '../../base/json.ts'
import { ProblemFailure, type Problem, type ProblemCode, type ProblemParams } from '../../base/problem.ts'

/** Problems that one check tells of. */
const PROBLEMS_MAX = 50
/** Characters of a path: names of members may be as long as the body. */
const PATH_CHARS_MAX = 1_000

/** Takes a problem. It may throw to end the work; otherwise the work goes on. */
export type Report = (problem: Problem) => void

/** Ends the work at the first problem, with the failure of the request. */
export const throwProblem: Report = (problem) => {
  throw new ProblemFailure(shortened(problem))
}

export function problemAt(path: string, code: ProblemCode, message: string, params: ProblemParams = {}): Problem {
  return { path, code, params, message }
}

/** Stands in a body for a part with a problem that was reported. It never gets into a stored document. */
export const REPORTED: JsonObject = Object.freeze({})

/** A document nests deeper than JSON_DEPTH_MAX, and so than what can be read again. */
export const TOO_DEEP = problemAt(
  '',
  'tooDeep',
  `Cannot store a document of more than ${JSON_DEPTH_MAX} levels, those of its embedded records included`,
  { max: String(JSON_DEPTH_MAX) },
)

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

function shortened(problem: Problem): Problem {
  const { path } = problem
  return path.length <= PATH_CHARS_MAX ? problem : { ...problem, path: `${path.slice(0, PATH_CHARS_MAX)}…` }
}
