/**
 * The operations on documents as steps of registers, and what is wrong with them.
 *
 * Strong reads and writes take effect between their start and their end. A session read carries the newest position that
 * its client has seen: it may be older than its start, but not older than the client's last write or strong read, nor
 * than anything that the client has seen of this document, nor than a write whose response had a position up to that one.
 * A plain read may be of any age; its value was written, and not after the read.
 *
 * A list of appends is a register whose value is its last entry.
 */
import { faultOfRegister, type RegisterStep } from './linearizability.ts'
import type { Operation } from './operation.ts'

const PRECONDITION_FAILED = 412

/** Returns a text for each document whose operations do not fit together. */
export function faultsOfRegisters(history: readonly Operation[]): readonly string[] {
  const freshness = freshnessOf(history)
  const byKey = Map.groupBy(history.filter(isOfRegister), ({ key }) => key)
  return [...byKey].flatMap(([key, operations]) => {
    const fault = faultOfRegister(stepsOf(operations, freshness))
    return [...(fault === undefined ? [] : [`${key} is not linearizable: ${fault}`]), ...faultsOfPlainReads(key, operations)]
  })
}

const READS: readonly string[] = ['strongRead', 'sessionRead', 'plainRead']
const isWrite = ({ kind }: Operation): boolean => kind === 'write' || kind === 'append'
const isOfRegister = (operation: Operation): boolean => isWrite(operation) || READS.includes(operation.kind)

/** For each session read, the start of its client's last write or strong read, whose position it carries. */
function freshnessOf(history: readonly Operation[]): ReadonlyMap<Operation, number> {
  const found = new Map<Operation, number>()
  for (const operations of Map.groupBy(history, ({ client }) => client).values()) {
    let fresh = -Infinity
    for (const operation of operations.toSorted((a, b) => a.start - b.start)) {
      found.set(operation, fresh)
      const isFresh = operation.kind === 'strongRead' || isWrite(operation)
      if (operation.outcome === 'ok' && isFresh && operation.position !== undefined) fresh = operation.start
    }
  }
  return found
}

function stepsOf(operations: readonly Operation[], freshness: ReadonlyMap<Operation, number>): readonly RegisterStep[] {
  const steps: RegisterStep[] = []
  const seen = new Map<number, RegisterStep>()
  const writes = createNewestWrites()
  for (const operation of operations.toSorted((a, b) => a.end - b.end)) {
    const { kind, client, outcome, sent } = operation
    if (kind === 'plainRead') continue
    const isSession = kind === 'sessionRead' && sent !== undefined
    const after = isSession ? [seen.get(client), writes.upTo(sent)].filter((step) => step !== undefined) : []
    const start = isSession ? (freshness.get(operation) ?? -Infinity) : operation.start
    const step = stepOf(operation, start, after)
    if (step === undefined) continue
    steps.push(step)
    if (outcome !== 'ok') continue
    seen.set(client, step)
    if (isWrite(operation)) writes.add(step, operation.position)
  }
  return steps
}

function stepOf(operation: Operation, start: number, after: readonly RegisterStep[]): RegisterStep | undefined {
  const { end, value = '', expected, outcome, status } = operation
  if (!isWrite(operation)) return outcome === 'ok' ? { kind: 'read', start, end, value, after } : undefined
  if (outcome === 'ok') return { kind: 'write', start, end, value, expected }
  if (outcome === 'unknown') return { kind: 'write', start, end: Infinity, value, expected }
  return status === PRECONDITION_FAILED ? { kind: 'mismatch', start, end, value, expected } : undefined
}

/** Writes by the positions of their responses, which grow but for the order of arrival. */
function createNewestWrites() {
  const positions: number[] = []
  const steps: RegisterStep[] = []
  /** The number of writes up to a position. */
  const countUpTo = (position: number): number => {
    let count = positions.length
    while (count > 0 && (positions[count - 1] as number) > position) count--
    return count
  }
  return {
    add(step: RegisterStep, position: number | undefined): void {
      if (position === undefined) return
      const at = countUpTo(position)
      positions.splice(at, 0, position)
      steps.splice(at, 0, step)
    },
    upTo: (position: number): RegisterStep | undefined => steps[countUpTo(position) - 1],
  }
}

function faultsOfPlainReads(key: string, operations: readonly Operation[]): readonly string[] {
  const begun = new Map([['', -Infinity]])
  const mayBe = operations.filter((operation) => isWrite(operation) && operation.outcome !== 'failed')
  for (const { value = '', start } of mayBe) begun.set(value, start)
  return operations
    .filter(({ kind, outcome, value = '', end }) => kind === 'plainRead' && outcome === 'ok' && !((begun.get(value) ?? Infinity) <= end))
    .map(({ value, client }) => `${key}: client ${client} read ${JSON.stringify(value)} before it was written`)
}
