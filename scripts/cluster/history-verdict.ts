/**
 * Judges a history: what clients of a cluster were told must fit together, whatever happened to nodes, etcd and network.
 * Each rule takes the operations, and the state in which they left the cluster, and returns a text for each fault.
 */
import type { FinalState, Operation } from './operation.ts'
import { faultsOfRegisters } from './register-history.ts'

/** Returns nothing where all is well. */
export function faultsOfHistory(history: readonly Operation[], final: FinalState): readonly string[] {
  return [
    ...faultsOfRegisters(history),
    ...faultsOfPositions(history),
    ...faultsOfAppends(history, final),
    ...faultsOfInserts(history, final),
    ...faultsOfCodes(history),
    ...faultsOfAccounts(history, final),
    ...faultsOfConversions(history, final),
    ...faultsOfLimits(history),
  ]
}

const ofKind = (history: readonly Operation[], kind: Operation['kind']): readonly Operation[] =>
  history.filter((operation) => operation.kind === kind)

/** A response is never older than the position that its request carried. */
function faultsOfPositions(history: readonly Operation[]): readonly string[] {
  return history
    .filter(({ outcome, sent, position }) => outcome === 'ok' && sent !== undefined && (position ?? -1) < sent)
    .map(
      ({ kind, client, node, sent, position }) =>
        `client ${client} sent position ${sent} to node ${node} and got ${position ?? 'none'} from a ${kind}`,
    )
}

/** What was acknowledged is there once, what failed is not there, and each list that was read is a prefix of the last. */
function faultsOfAppends(history: readonly Operation[], { lists }: FinalState): readonly string[] {
  const faults: string[] = []
  const byKey = Map.groupBy(ofKind(history, 'append'), ({ key }) => key)
  for (const [key, list] of lists) {
    const counts = countOf(list)
    for (const { value = '', outcome, client } of byKey.get(key) ?? []) {
      const fault = faultOfCount(counts.get(value) ?? 0, outcome)
      if (fault !== undefined) faults.push(`${key}: the append ${value} of client ${client} is ${fault}`)
    }
  }
  for (const { key, list: read, client, kind } of history) {
    const last = lists.get(key)
    if (read === undefined || last === undefined) continue
    if (read.some((entry, i) => entry !== last[i])) faults.push(`${key}: a ${kind} of client ${client} saw another order`)
  }
  return faults
}

function faultsOfInserts(history: readonly Operation[], { inserted }: FinalState): readonly string[] {
  return ofKind(history, 'insert').flatMap(({ key, outcome, client }) => {
    const fault = faultOfCount(inserted.get(key) ?? 0, outcome)
    return fault === undefined ? [] : [`the insert ${key} of client ${client} is ${fault}`]
  })
}

function faultOfCount(count: number, outcome: Operation['outcome']): string | undefined {
  if (count > 1) return `there ${count} times`
  if (count === 0 && outcome === 'ok') return 'lost, although it was acknowledged'
  if (count === 1 && outcome === 'failed') return 'there, although it failed'
  return undefined
}

/** A code signs in once in the cluster; and it does, where every try has a certain outcome. */
function faultsOfCodes(history: readonly Operation[]): readonly string[] {
  return [...Map.groupBy(ofKind(history, 'useCode'), ({ key }) => key)].flatMap(([key, tries]) => {
    const used = tries.filter(({ outcome }) => outcome === 'ok').length
    if (used > 1) return [`the code ${key} signed in ${used} times`]
    const isCertain = tries.every(({ outcome, status }) => outcome === 'failed' && status < 500)
    return isCertain ? [`the code ${key} never signed in, in ${tries.length} tries`] : []
  })
}

/** An email has one account, which is the one that every client was told. */
function faultsOfAccounts(history: readonly Operation[], { accounts }: FinalState): readonly string[] {
  const told = [...ofKind(history, 'addUser'), ...ofKind(history, 'useCode')].filter(({ outcome }) => outcome === 'ok')
  const emailOf = ({ key }: Operation): string => key.split(' ')[0] ?? ''
  const faults = [...accounts].flatMap(([email, ids]) =>
    ids.length > 1 ? [`${email} has ${ids.length} accounts: ${ids.join(', ')}`] : [],
  )
  for (const operation of told) {
    const ids = accounts.get(emailOf(operation)) ?? []
    if (ids.includes(operation.value ?? '')) continue
    faults.push(`${emailOf(operation)} was told to be ${operation.value ?? 'nothing'}, and is ${ids.join(', ') || 'lost'}`)
  }
  return faults
}

/** A guest becomes one account, which keeps the guest's id. */
function faultsOfConversions(history: readonly Operation[], { accounts }: FinalState): readonly string[] {
  return [...Map.groupBy(ofKind(history, 'convert'), ({ key }) => key)].flatMap(([guest, tries]) => {
    const emails = new Set(tries.filter(({ outcome }) => outcome === 'ok').map(({ value = '' }) => value))
    if (emails.size > 1) return [`the guest ${guest} became ${[...emails].join(' and ')}`]
    return [...emails].flatMap((email) =>
      accounts.get(email)?.includes(guest) === true ? [] : [`the guest ${guest} became ${email} and is not that account`],
    )
  })
}

/** One client sets a limit; a follow is judged by a limit that was in force between start and end. */
function faultsOfLimits(history: readonly Operation[]): readonly string[] {
  const limits = Map.groupBy(ofKind(history, 'setLimit'), ({ key }) => key)
  return ofKind(history, 'follow').flatMap(({ key, value, start, end, outcome, status, client }) => {
    const inForce = limitsWithin(limits.get(key) ?? [], start, end)
    const count = Number(value)
    const wanted = `${count} items of client ${client} with the limit ${inForce.join(' or ')}`
    if (outcome === 'ok' && inForce.every((limit) => limit < count)) return [`took ${wanted}`]
    const isRefused = outcome === 'failed' && status === 403
    return isRefused && inForce.every((limit) => limit >= count) ? [`refused ${wanted}`] : []
  })
}

/** The limits of which one was in force at some time of an interval. */
function limitsWithin(changes: readonly Operation[], start: number, end: number): readonly number[] {
  const known = changes.filter(({ outcome, end: done }) => outcome === 'ok' && done < start)
  const last = known.reduce((newest, one) => Math.max(newest, one.start), -Infinity)
  // An unknown change may take effect at any time, so it stays possible beside each later one.
  const isPossible = (one: Operation): boolean =>
    one.start <= end && (one.outcome === 'unknown' || (one.outcome === 'ok' && one.start >= last))
  return changes.filter(isPossible).map(({ value }) => Number(value))
}

function countOf(list: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const entry of list) counts.set(entry, (counts.get(entry) ?? 0) + 1)
  return counts
}
