/**
 * Patterns that take a backtracking engine quadratic or exponential time take ours linear time: on a text that is twice
 * as long at most two and a half times the steps. The work is counted, so that a busy machine makes no difference.
 *
 * test/cases/hostile-patterns.json has patterns of the kinds that are known for it, each with a text to pump up: nested
 * and neighbouring repetitions, alternatives that overlap, optional parts in a row, and what people write for addresses,
 * quoted texts and markup.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { parseRegex } from '../../src/query/regex/pattern-parser.ts'
import { createRegexTest } from '../../src/query/regex/regex-test.ts'
import { requiredTexts } from '../../src/query/regex/required-texts.ts'
import { parsePattern } from '../../src/query/pattern.ts'
import { unlimitedSteps } from '../../src/query/steps.ts'
import { longRun } from '../../scripts/tools/long-run.ts'

interface HostilePattern {
  readonly pattern: string
  readonly options: string
  readonly prefix: string
  readonly pump: string
  readonly suffix: string
}

const HOSTILE = JSON.parse(
  readFileSync(new URL('../cases/hostile-patterns.json', import.meta.url), 'utf8'),
) as readonly HostilePattern[]

const UNITS = longRun(600, 2_000)
const RATIO_MAX = 2.5
const USUAL_BYTES = 1_000_000
/** Too little for a table, so that every character takes a step through all states. */
const TINY_BYTES = 100

/** The steps for a text of about so many units. */
function stepsOf({ pattern, options, prefix, pump, suffix }: HostilePattern, units: number, bytesMax: number): number {
  const parsed = parsePattern(pattern, options)
  assert.equal(parsed.kind, 'regexp', pattern)
  if (parsed.kind !== 'regexp') return 0
  const tree = parseRegex(parsed.source, parsed.flags)
  assert.ok(tree)
  const steps = unlimitedSteps()
  // With what every match needs behind it, no text is ruled out by a search for that.
  const needed = requiredTexts(tree.root).map(([first]) => first?.text ?? '')
  const text = prefix + pump.repeat(Math.ceil(units / pump.length)) + suffix + needed.join('')
  createRegexTest(tree.root, { unicode: tree.unicode, bytesMax })(text, steps)
  return steps.taken
}

describe('a text that is twice as long takes at most two and a half times the steps', () => {
  for (const hostile of HOSTILE) {
    it(`for ${JSON.stringify(hostile.pattern)} ${hostile.options}`, () => {
      for (const bytesMax of [USUAL_BYTES, TINY_BYTES]) {
        const [once, twice] = [stepsOf(hostile, UNITS, bytesMax), stepsOf(hostile, 2 * UNITS, bytesMax)]
        assert.ok(twice <= once * RATIO_MAX, `${once} steps for ${UNITS} units, ${twice} for twice as many`)
      }
    })
  }
})
