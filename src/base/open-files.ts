/** How many files and sockets this process may have open at a time. Node raises the soft limit to the hard one. */
import { readFileSync } from 'node:fs'

/** Undefined where the system has no such limit, or does not tell it. */
export function openFilesMax(): number | undefined {
  if (process.platform === 'win32') return undefined
  try {
    return parseOpenFiles(readFileSync('/proc/self/limits', 'utf8'))
  } catch {
    // Other systems than Linux have no such file; the report takes 20 ms.
    const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } }
    const soft = Number(userLimits?.open_files?.soft)
    return Number.isFinite(soft) ? soft : undefined
  }
}

/** Reads the soft limit out of `/proc/self/limits` (proc_pid_limits(5)). */
export function parseOpenFiles(limits: string): number | undefined {
  const soft = /^Max open files\s+(\d+)\s/m.exec(limits)?.[1]
  return soft === undefined ? undefined : Number(soft)
}
