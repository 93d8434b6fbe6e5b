/** A data directory with headlines and an administrator, who has no rate limit. */
import { systemClock } from '../../src/base/clock.ts'
import { SYSTEM } from '../../src/store/actor.ts'
import { openBenchServices } from './bench-services.ts'
import { fillWorld, type World } from './world.ts'

export interface Filled {
  readonly world: World
  /** Of the administrator. */
  readonly token: string
}

export async function fillDirectory(directory: string, count: number): Promise<Filled> {
  const services = await openBenchServices(directory)
  try {
    const world = await fillWorld(services, count)
    const [email, now] = ['bench@example.org', systemClock()]
    await services.accounts.ensureAdmin(email, now, SYSTEM)
    const id = String(services.store.accounts.userByEmail(email)?.['id'])
    return { world, token: await services.sessions.issue(id, { label: 'benchmark', now }) }
  } finally {
    await services.store.close()
  }
}
