/** Questions to a person at a terminal. */
import { createInterface } from 'node:readline'
import type { Terminal } from './command.ts'

/** Asks, and reads one line. Nothing else of stdin is read afterwards: a terminal that stays open would keep the process. */
export async function isAnsweredYes({ stdin, stderr }: Pick<Terminal, 'stdin' | 'stderr'>, question: string): Promise<boolean> {
  stderr.write(`${question} [y/N] `)
  try {
    for await (const line of createInterface({ input: stdin })) return /^\s*y(?:es)?\s*$/i.test(line)
    return false
  } finally {
    stdin.destroy()
  }
}
