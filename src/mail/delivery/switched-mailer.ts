/** A mailer that can be replaced while it sends: what it has begun is finished, and then its sessions are ended. */
import type { Mailer } from './mailer.ts'

export function switchedMailer(first: Mailer) {
  const counts = new Map<Mailer, number>([[first, 0]])
  let current = first

  const closeIfDone = async (mailer: Mailer): Promise<void> => {
    if (mailer === current || counts.get(mailer) !== 0) return
    counts.delete(mailer)
    await mailer.close()
  }
  return {
    async send(...mail: Parameters<Mailer['send']>): ReturnType<Mailer['send']> {
      const mailer = current
      const count = (by: number): void => void counts.set(mailer, (counts.get(mailer) ?? 0) + by)
      count(1)
      try {
        return await mailer.send(...mail)
      } finally {
        count(-1)
        void closeIfDone(mailer)
      }
    },
    /** From now on the next one sends. */
    replace(next: Mailer): void {
      const former = current
      counts.set(next, 0)
      current = next
      void closeIfDone(former)
    },
    /** Aborts running deliveries. */
    async close(): Promise<void> {
      await Promise.all([...counts.keys()].map((mailer) => mailer.close()))
    },
  }
}
