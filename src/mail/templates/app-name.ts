/** The name of the service in subjects and texts, checked at start: a bad one would make every mail fail or mislead. */
import { describe } from '../../base/failure.ts'
import { nameProblem } from '../../base/shown-name.ts'
import { codeRunsOf } from '../message/code-runs.ts'

const NAME_CHARS_MAX = 100

/** Returns the name without space around it. Throws an Error that says what is expected. */
export function parseAppName(text: string): string {
  const name = text.trim()
  if (name === '' || /\p{Cc}|\p{Zl}|\p{Zp}/u.test(name) || [...name].length > NAME_CHARS_MAX) {
    throw new Error(
      `expected one line of at most ${NAME_CHARS_MAX} characters that is not empty, found ${describe(text)}`,
    )
  }
  const problem = nameProblem(name, NAME_CHARS_MAX)
  if (problem !== undefined) throw new Error(problem)
  if (codeRunsOf(name).length > 0) {
    throw new Error(`expected a name without six digits alone, which look like a sign-in code, found ${describe(text)}`)
  }
  return name
}
