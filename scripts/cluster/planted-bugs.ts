/**
 * Bugs that the drill must catch, or it proves nothing. Each replaces one statement of our sources in the nodes of a run,
 * as their modules are loaded; the program itself knows nothing of them.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LinkFaultName } from './faults.ts'

export interface PlantedBug {
  readonly does: string
  readonly file: string
  readonly statement: string
  readonly replacement: string
  /** What brings it to light, whatever the speed of the machine. */
  readonly fault: LinkFaultName
}

export const PLANTED_BUGS: Readonly<Record<string, PlantedBug>> = {
  early: {
    does: 'acknowledges a write before etcd does',
    file: 'src/store/cluster/proposals.ts',
    statement: '    const position = await append(body, id, jobs)\n',
    replacement: '    settle(jobs, outcomes)\n    const position = await append(body, id, jobs)\n',
    fault: 'killNode',
  },
  twice: {
    does: 'forgets the id of an entry whose append it repeats',
    file: 'src/store/cluster/proposals.ts',
    statement: 'return idOf(next.body) === id ? next.position : undefined',
    replacement: 'return undefined',
    fault: 'dropAnswers',
  },
  stale: {
    does: 'reads without asking etcd for the newest position',
    file: 'src/store/cluster/replication.ts',
    statement: 'const position = await answered(contact.last())',
    replacement: 'const position = place.position()',
    fault: 'delayWatches',
  },
  again: {
    does: 'makes a write again that the keeper may have made',
    file: 'src/app/cluster/write-forwarding.ts',
    statement: "if (outcome.kind === 'unsent') return undefined",
    replacement: "if (outcome.kind !== 'response') return undefined",
    fault: 'dropKeeper',
  },
  ahead: {
    does: 'answers ahead of having what the keeper wrote',
    file: 'src/app/cluster/write-forwarding.ts',
    statement: 'await replication.reached(made.position, AbortSignal.timeout(REACH_MS_MAX))',
    replacement: 'await Promise.resolve()',
    fault: 'delayWatches',
  },
}

/** The source of a module of ours with a bug. Throws where the statement is not there exactly once. */
export function withBug(source: string, { file, statement, replacement }: PlantedBug): string {
  const parts = source.split(statement)
  if (parts.length === 2) return parts.join(replacement)
  throw new Error(`Cannot plant a bug in ${file}: expected ${JSON.stringify(statement)} once, found it ${parts.length - 1} times`)
}

/** Throws where a bug no longer fits the sources. */
export function checkPlantedBugs(): void {
  for (const bug of Object.values(PLANTED_BUGS)) withBug(readFileSync(join(import.meta.dirname, '../..', bug.file), 'utf8'), bug)
}
