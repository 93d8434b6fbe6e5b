/**
 * Ordinary traffic in a thread of its own, so that the attacks of the main thread do not delay it: actions at a steady
 * rate, whether or not earlier ones have ended, by people that are signed in throughout.
 */
import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import { seededRandom } from '../../test/support/random.ts'
import { send, type Request } from '../attacks/loopback-client.ts'
import { PAST_DEADLINE, percentile } from '../attacks/verdict.ts'
import { pickAction, type ReportResponse, type World } from './ordinary-requests.ts'
import type { FromTraffic, MinuteOfTraffic, ToTraffic, TrafficSetup } from './traffic.ts'

/** Under what one user may send: 1,200 a minute, among the readers. */
const ACTION_PERIOD_MS = 60
/** Actions under way; past it, new ones are left out until the service has caught up. */
const ACTIONS_MAX = 300
const CONNECTIONS_MAX = 8
const FAILURES_SHOWN = 10

assert.ok(parentPort !== null)
const parent = parentPort
const setup = workerData as TrafficSetup
const random = seededRandom(setup.seed)
const agents = new Map<string, Agent>()
const waiting = new Map<string, (code: string) => void>()
let [underWay, addresses] = [0, 0]
let minute = fresh()

function fresh() {
  return {
    times: [] as number[],
    requests: 0,
    waits: 0,
    skipped: 0,
    failures: new Map<string, number>(),
    lateness: new Map<string, number>(),
  }
}

/** People keep their connections; clients that are seen once do not. */
function withAgent(request: Request): Request {
  const { from = '' } = request
  if (!setup.keptAddresses.includes(from)) return request
  let agent = agents.get(from)
  if (agent === undefined) agents.set(from, (agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX })))
  return { ...request, agent }
}

const world: World = {
  ...setup,
  random,
  send: async (request) => {
    const response = await send(setup.port, withAgent(request))
    minute.times.push(response.ms)
    minute.requests++
    return response
  },
  newAddress: () => {
    const n = addresses++
    return `127.${240 + (Math.floor(n / 62_500) % 10)}.${Math.floor(n / 250) % 250}.${1 + (n % 250)}`
  },
  codeFor: (email) =>
    new Promise((resolve) => {
      waiting.set(email, resolve)
      parent.postMessage({ kind: 'code', email } satisfies FromTraffic)
    }),
}

async function act(): Promise<void> {
  if (underWay >= ACTIONS_MAX) {
    minute.skipped++
    return
  }
  underWay++
  const action = pickAction(random)
  const note = (counts: Map<string, number>, what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1)
  const report: ReportResponse = (response, wanted, { mayWait = false, isScan = false } = {}) => {
    if (response.status === wanted) return
    if (mayWait && response.status === 503 && response.headers['retry-after'] !== undefined) {
      minute.waits++
      return
    }
    const what = `${action.name}: ${response.status === 0 ? response.text : response.status}, wanted ${wanted}`
    const isLate = response.text === 'timeout' || (isScan && PAST_DEADLINE.includes(String(response.status)))
    note(isLate ? minute.lateness : minute.failures, what)
  }
  try {
    await action.run(world, report)
  } catch (error) {
    note(minute.failures, `${action.name}: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    underWay--
  }
}

const timer = setInterval(() => void act(), ACTION_PERIOD_MS)

parent.on('message', (message: ToTraffic) => {
  if (message.kind === 'code') {
    waiting.get(message.email)?.(message.code)
    waiting.delete(message.email)
    return
  }
  if (message.kind === 'minute') {
    const { times, requests, waits, skipped, failures, lateness } = minute
    minute = fresh()
    const told = (counts: Map<string, number>): string[] =>
      [...counts].slice(0, FAILURES_SHOWN).map(([what, count]) => `${what} (${count} times)`)
    const report: MinuteOfTraffic = {
      requests,
      waits,
      skipped,
      p50: percentile(times, 0.5),
      p99: percentile(times, 0.99),
      max: times.reduce((most, ms) => Math.max(most, ms), 0),
      failures: told(failures),
      lateness: told(lateness),
    }
    parent.postMessage({ kind: 'minute', report } satisfies FromTraffic)
    return
  }
  clearInterval(timer)
  for (const agent of agents.values()) agent.destroy()
  parent.close()
})
