/** Waits for what a service, a peer or a process does on its own. */
import { setImmediate as turn } from 'node:timers/promises'

/** Looks in each turn of the event loop until it is so; the time limit of the test ends it otherwise. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await turn()
}
