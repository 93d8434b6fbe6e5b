/** What checks against programs of others share. */
import { withCleanup } from '../with-cleanup.ts'
import type { Cleanup } from '../tools/temporary-directory.ts'

export interface Conformance {
  /** By the names that choose them on the command line. */
  readonly checks: Readonly<Record<string, Check>>
  /** What may be said beside these names; nothing where it is left out. */
  readonly words?: RegExp
}

/** Throws what differs, and NotAvailable where it lacks a program, a network or the rights for it. */
export type Check = (run: CheckRun) => void | Promise<void>

export interface CheckRun {
  readonly cleanup: Cleanup
  /** Prints a line about what held. */
  readonly say: (text: string) => void
  /** The words beside the names of checks. */
  readonly words: readonly string[]
}

/** Something that a check needs is not available on this machine; the message says why. */
export class NotAvailable extends Error {
  override readonly name = 'NotAvailable'
}

/** Runs the checks that are named, or all. Returns the exit code: 0, 1 where a check failed, 2 for words that it cannot read. */
export async function runChecks(name: string, { checks, words: allowed }: Conformance, given: readonly string[]): Promise<number> {
  const named = Object.keys(checks)
  const [chosen, words] = [given.filter((word) => named.includes(word)), given.filter((word) => !named.includes(word))]
  const unknown = words.find((word) => allowed?.test(word) !== true)
  if (unknown !== undefined) {
    console.error(`conformance ${name}: cannot find the check "${unknown}": expected ${named.join(', ')}`)
    return 2
  }
  const say = (text: string): void => console.log(`${name}: ${text}`)
  return withCleanup(async (cleanup) => {
    let code = 0
    for (const check of chosen.length === 0 ? named : chosen) {
      const begun = performance.now()
      try {
        await checks[check]?.({ cleanup, say, words })
        say(`${check}: passed in ${((performance.now() - begun) / 1000).toFixed(1)} s`)
      } catch (error) {
        if (error instanceof NotAvailable) say(`${check}: not run: ${error.message}`)
        else {
          console.error(`${name}: ${check}: FAILED: ${error instanceof Error ? error.stack : String(error)}`)
          code = 1
        }
      }
    }
    return code
  })
}

/** Throws all faults in one Error. */
export function requireNone(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(`${faults.length} faults:\n  ${faults.join('\n  ')}`)
}
