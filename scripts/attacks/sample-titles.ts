/** Titles on which backtracking patterns take long: long runs that nearly match. */
import type { Random } from '../tools/random.ts'

const TITLES = 200
const RUN_CHARS_MAX = 400
const RUNS = ['a', 'aA', 'ab', '0', ' ', 'x.', 'foo ', 'ä', '\u{1F600}', '_', '\t', 'a,', '<a ', '\\', '"'] as const

export function hostileTitles(random: Random): readonly string[] {
  return Array.from({ length: TITLES }, () => {
    const run = random.pick(RUNS)
    return `${run.repeat(1 + random.below(RUN_CHARS_MAX / run.length))}${random.pick(['!', 'X', '$', 'b', '\u0000!'])}`
  })
}
