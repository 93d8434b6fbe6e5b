/** What the kernel says about a process, from /proc. Linux only. */
import { readdirSync, readFileSync } from 'node:fs'

const CLOCK_TICKS_PER_SECOND = 100

/** Resident memory and threads. Throws where the process is gone. */
export function residentMemory(pid: number): { readonly rssMib: number; readonly threads: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  const number = (name: string): number => Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(status)?.[1] ?? 0)
  return { rssMib: number('VmRSS') / 1024, threads: number('Threads') }
}

/** Open file descriptors. */
export function handles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

/** Seconds that all threads have spent on a core so far. */
export function cpuSeconds(pid: number): number {
  const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')
  const fields = rest.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND
}

export interface Scheduled {
  /** What the thread that serves requests spent on a core, and what it waited for one, in seconds. */
  readonly ranSeconds: number
  readonly waitedSeconds: number
}

/** Of the main thread, so far (Documentation/scheduler/sched-stats.rst); zeros where the kernel does not count. */
export function scheduled(pid: number): Scheduled {
  try {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ').map(Number)
    return { ranSeconds: ran / 1e9, waitedSeconds: waited / 1e9 }
  } catch {
    return { ranSeconds: 0, waitedSeconds: 0 }
  }
}

/** How many file descriptors this process may open at most, which its children inherit. */
export function handlesMax(): number {
  const limits = readFileSync('/proc/self/limits', 'latin1')
  return Number(/^Max open files\s+\S+\s+(\d+)/m.exec(limits)?.[1] ?? 1024)
}
