/**
 * A commit log in memory: one total order for several nodes, whose connections can be cut, lose a response or hold back
 * deliveries. It keeps the contract of `log-contract.ts`, as the log over etcd does.
 */
import {
  ENTRY_BYTES_MAX,
  LogUnavailable,
  type CommitLog,
  type LogEntry,
  type LogReader,
} from '../../../src/store/cluster/commit-log.ts'

/** A node's connection to the log, with its faults. */
export interface MemoryLogNode extends CommitLog {
  /** Until restore(), calls reject as not sent and nothing is delivered. */
  cut(): void
  restore(): void
  /** The next append takes effect where it can, and rejects as sent. */
  loseResponse(): void
  /** Leaves out the next entry that it would deliver. */
  leaveOut(): void
  /** Delivers nothing more to those that follow it now, without a word. */
  stall(): void
  /** Until release(), nothing is delivered. */
  hold(): void
  release(): void
}

interface Follower {
  after: number
  readonly reader: LogReader
  isBusy: boolean
}

export function createMemoryLog() {
  /** Positions are not dense: each entry stands at three times its number. */
  const entries: LogEntry[] = []
  const nodes = new Set<{ deliver(): void }>()
  let trimmedTo = 0
  const lastPosition = (): number => entries.at(-1)?.position ?? 0
  const appendEntry = (after: number, body: Uint8Array) => {
    if (lastPosition() !== after) return { kind: 'lost' } as const
    const position = after + POSITION_STEP
    entries.push({ position, body: Uint8Array.from(body) })
    for (const node of nodes) setImmediate(node.deliver)
    return { kind: 'appended', position } as const
  }
  const trim = (before: number): void => {
    trimmedTo = Math.max(trimmedTo, Math.min(before, lastPosition()))
  }

  /** A connection of its own for each node. */
  function connect(): MemoryLogNode {
    const followers = new Set<Follower>()
    const state = { isCut: false, isHeld: false, isClosed: false, losesResponse: false, leavesOut: false }
    const node = { deliver: () => void followers.forEach((follower) => void deliverTo(follower)) }
    nodes.add(node)
    const isMissing = (after: number): boolean =>
      entries.some(({ position }) => position > after && position < trimmedTo)
    const deliverTo = async (follower: Follower): Promise<void> => {
      if (follower.isBusy) return
      follower.isBusy = true
      while (!state.isCut && !state.isHeld && followers.has(follower)) {
        if (isMissing(follower.after)) {
          followers.delete(follower)
          follower.reader.gap(`entries before position ${trimmedTo} were trimmed`)
          break
        }
        const entry = entries.find(({ position }) => position > follower.after)
        if (entry === undefined) break
        follower.after = entry.position
        if (state.leavesOut) {
          state.leavesOut = false
          continue
        }
        const pending = follower.reader.entry(entry)
        if (pending !== undefined) await pending
      }
      follower.isBusy = false
    }
    const reach = async (): Promise<void> => {
      await new Promise((resolve) => void setImmediate(resolve))
      if (state.isCut || state.isClosed) throw new LogUnavailable('Cannot reach the log: the connection is cut', { sent: false })
    }
    const set = (change: Partial<typeof state>) => (): void => {
      Object.assign(state, change)
      setImmediate(node.deliver)
    }
    return {
      async append(after, body) {
        if (body.length > ENTRY_BYTES_MAX) {
          throw new RangeError(`Cannot append ${body.length} bytes: expected at most ${ENTRY_BYTES_MAX}`)
        }
        await reach()
        const outcome = appendEntry(after, body)
        if (!state.losesResponse) return outcome
        state.losesResponse = false
        throw new LogUnavailable('Cannot tell whether the entry was appended: the response was lost', { sent: true })
      },
      async last() {
        await reach()
        return lastPosition()
      },
      follow(after, reader) {
        const follower = { after, reader, isBusy: false }
        followers.add(follower)
        setImmediate(node.deliver)
        return { stop: () => void followers.delete(follower) }
      },
      async trim(before) {
        await reach()
        trim(before)
      },
      close() {
        state.isClosed = true
        followers.clear()
        nodes.delete(node)
        return Promise.resolve()
      },
      cut: set({ isCut: true }),
      restore: set({ isCut: false }),
      hold: set({ isHeld: true }),
      release: set({ isHeld: false }),
      stall: () => followers.clear(),
      leaveOut: set({ leavesOut: true }),
      loseResponse: set({ losesResponse: true }),
    }
  }
  /** Loses the last entry, as an engine does that is restored from a backup. */
  const setBack = (): void => void entries.pop()
  return { connect, setBack }
}

const POSITION_STEP = 3
