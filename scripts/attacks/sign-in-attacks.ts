/** Filling the disk with tries, guests and codes. What guesses may cost an owner is in test/api/auth/hostile-guesses.test.ts. */
import { Agent } from 'node:http'
import type { Attack, Site } from './attack.ts'
import { inParallel, statusCounts, type TimedResponse } from './loopback-client.ts'

const RANDOM_TRIES = 10_000
const RANDOM_TRIES_QUICK = 2_000
/** Counters of clients are kept, tries are not: a row for each would take four times as much. */
const DISK_BYTES_OF_TRY_MAX = 30
/** The audit trail keeps records of failed sign-ins, a few hundred of them in a while. */
const DISK_BYTES_SPARE = 448 * 1024
const GUESTS_OF_ADDRESS = 60

export const codesAtSpeed: Attack = {
  name: 'codes-at-speed',
  tries: '10,000 tries for random addresses, most from one client, each tenth from a client of its own',
  isQuick: true,
  limits: { othersMedianMs: 40 },
  async run(site) {
    const tries = site.isQuick ? RANDOM_TRIES_QUICK : RANDOM_TRIES
    const before = await site.databaseBytes()
    const one = site.newAddress()
    const agent = new Agent({ keepAlive: true })
    const responses = await inParallel(16, async (client) => {
      const counts: TimedResponse[] = []
      for (let i = client; i < tries; i += 16) {
        const body = { email: `nothing-${i}-${before}@example.org`, code: '654321' }
        const by = i % 10 === 0 ? { from: site.newAddress() } : { from: one, agent }
        counts.push(await site.send({ method: 'POST', path: '/api/v1/auth/verify-code', body, ...by }))
      }
      return counts
    })
    agent.destroy()
    const grown = (await site.databaseBytes()) - before
    const perTry = (grown / tries).toFixed(1)
    const grownMax = DISK_BYTES_SPARE + tries * DISK_BYTES_OF_TRY_MAX
    return {
      notes: [
        statusCounts(responses.flat()),
        `the database grew by ${Math.round(grown / 1024)} KiB, ${perTry} bytes a try`,
      ],
      faults: grown <= grownMax ? [] : [`the database grew by ${grown} bytes, wanted at most ${grownMax}`],
    }
  },
}

export const guestFlood: Attack = {
  name: 'guest-flood',
  tries: 'one client signs in as a guest 300 times, and requests 200 codes',
  // Five hundred requests at once, most of which write.
  limits: { othersMedianMs: 100 },
  async run(site) {
    const from = site.newAddress()
    const guests = await inParallel(300, () =>
      site.send({ method: 'POST', path: '/api/v1/auth/anonymous', body: {}, from }),
    )
    const codes = await inParallel(200, (i) => requestCode(site, `flood-${i}@example.org`, from))
    const made = guests.filter(({ status }) => status === 200).length
    const accepted = codes.filter(({ status }) => status === 202).length
    return {
      notes: [`guests ${statusCounts(guests)}; codes ${statusCounts(codes)}`],
      faults: [
        ...(made <= GUESTS_OF_ADDRESS ? [] : [`${made} guests, wanted at most ${GUESTS_OF_ADDRESS}`]),
        ...(accepted <= GUESTS_OF_ADDRESS ? [] : [`${accepted} codes, wanted at most ${GUESTS_OF_ADDRESS}`]),
      ],
    }
  },
}

function requestCode(site: Site, email: string, from: string): Promise<TimedResponse> {
  return site.send({ method: 'POST', path: '/api/v1/auth/request-code', body: { email }, from })
}
