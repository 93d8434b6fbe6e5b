/** Guessing codes, locking owners out, and filling the disk with tries. */
import { Agent } from 'node:http'
import type { Attack, Site } from './attack.ts'
import { inParallel, statusCounts, type TimedResponse } from './loopback-client.ts'

/** Tries that one client address may get wrong in an hour. */
const WRONG_TRIES_OF_CLIENT = 60
const CAMPAIGN_TRIES = 200
const RANDOM_TRIES = 10_000
const RANDOM_TRIES_QUICK = 2_000
/** Counters of clients are kept, tries are not: a row for each would take four times as much. */
const DISK_BYTES_OF_TRY_MAX = 30
/** The audit trail keeps records of failed sign-ins, a few hundred of them in a while. */
const DISK_BYTES_SPARE = 448 * 1024
const GUESTS_OF_ADDRESS = 60

let owners = 0

export const codesLockOut: Attack = {
  name: 'codes-lock-out',
  tries: 'a stranger tries 40 wrong codes for an owner, then many clients do; the owner signs in',
  isQuick: true,
  async run(site) {
    const faults: string[] = []
    const email = `owner-${Date.now()}-${owners++}@example.org`
    const [stranger, owner] = [site.newAddress(), site.newAddress()]
    await requestCode(site, email, owner)
    const code = await site.codeFor(email)
    const tries = await inParallel(40, (i) => verify(site, email, wrongCode(code, i), stranger))
    const guessed = await verify(site, email, code, stranger)
    if (guessed.status === 200) faults.push('a client with 40 wrong tries got in with the 41st')
    const signedIn = await verify(site, email, code, owner)
    if (signedIn.status !== 200) faults.push(`the owner was locked out: ${signedIn.status} ${signedIn.text}`)
    // Many clients, each with few tries: the code may become void, and the operator still can help.
    await requestCode(site, email, owner)
    const second = await site.codeFor(email)
    const many = await inParallel(60, (i) => verify(site, email, wrongCode(second, i), site.newAddress()))
    for (let round = 0; round < 3; round++) {
      const { code: exit, stdout, stderr } = await site.command(['admin', '--email', email, '--code'])
      const [, fromOperator = ''] = /\b(\d{6})\b/.exec(stdout) ?? []
      if (exit !== 0 || fromOperator === '') faults.push(`admin --code failed: ${stderr}`)
      if (round === 1) await verify(site, email, wrongCode(fromOperator, 1), site.newAddress())
      const { status, text } = await verify(site, email, fromOperator, site.newAddress())
      if (status !== 200) faults.push(`a code of the operator does not work: ${status} ${text}`)
    }
    return { notes: [`stranger: ${statusCounts(tries)}; many clients: ${statusCounts(many)}`], faults }
  },
}

export const codesCampaign: Attack = {
  name: 'codes-campaign',
  tries: 'one client tries codes for 200 addresses, with and without a live code',
  async run(site) {
    const from = site.newAddress()
    const emails = Array.from({ length: CAMPAIGN_TRIES }, (_, i) => `target-${Date.now()}-${i}@example.org`)
    const live = emails.slice(0, 20)
    await inParallel(live.length, (i) => requestCode(site, live[i] as string, site.newAddress()))
    const responses: TimedResponse[] = []
    for (const email of emails) responses.push(await verify(site, email, '123456', from))
    const checked = responses.filter(({ status }) => status === 400 || status === 200).length
    const limited = responses.filter(({ status }) => status === 429)
    return {
      notes: [statusCounts(responses)],
      faults: [
        ...(checked <= WRONG_TRIES_OF_CLIENT
          ? []
          : [`${checked} tries were checked, wanted at most ${WRONG_TRIES_OF_CLIENT}`]),
        ...(limited.every(({ headers }) => headers['retry-after'] !== undefined) ? [] : ['429 without Retry-After']),
      ],
    }
  },
}

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

function verify(site: Site, email: string, code: string, from: string): Promise<TimedResponse> {
  return site.send({ method: 'POST', path: '/api/v1/auth/verify-code', body: { email, code }, from })
}

function wrongCode(code: string, step: number): string {
  return String((Number(code) + 1 + step) % 1_000_000).padStart(6, '0')
}
