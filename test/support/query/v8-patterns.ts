/** The process that answers the questions of pattern-oracle.ts. */
import type { OracleAnswer } from './pattern-oracle.ts'
import type { PatternCase } from './pattern-generator.ts'

process.on('message', (cases: readonly PatternCase[]) => process.send?.(cases.map(answer)))

function answer({ source, flags, texts }: PatternCase): OracleAnswer {
  try {
    new RegExp(source, flags)
  } catch {
    return 'no pattern'
  }
  // The alternative never matches; see pattern-generator.ts.
  const expression = new RegExp(`${source}|[]`, flags)
  return texts.map((text) => expression.test(text))
}
