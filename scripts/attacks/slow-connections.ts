/** Connections that never finish their request. A client that is new has to be served all the same. */
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Attack, Site } from './attack.ts'
import { dataPath, inParallel, statusCounts, type TimedResponse } from './loopback-client.ts'
import { handlesMax } from './process-figures.ts'

/** More than the service takes at once. */
const CONNECTIONS = 10_100
const CONNECTIONS_QUICK = 700
const BATCH = 200
const HOLD_MS = 6_000
const HOLD_MS_QUICK = 2_000
/** What this process and the service need for other things. */
const HANDLES_RESERVED = 200

/** A new client is served within a second. Each connection has its buffers. */
const LIMITS = { othersP99Ms: 1_000, othersMedianMs: 100, growthMib: 300, handlesMax: 32 } as const

interface Flood {
  /** The bytes that each connection begins with. */
  readonly start: (site: Site) => string
  /** Sent again and again while the connections are held. */
  readonly drip?: string
  readonly addresses: number
}

export const connectionsWithoutBody: Attack = {
  name: 'connections-no-body',
  tries: '10,100 connections from 24 addresses send headers and no body',
  limits: LIMITS,
  run: (site) => flood(site, { start: withoutBody, addresses: 24 }),
}

export const connectionsOfOneAddress: Attack = {
  name: 'connections-one-address',
  tries: '10,100 connections from one address send headers and no body',
  isQuick: true,
  limits: LIMITS,
  run: (site) => flood(site, { start: withoutBody, addresses: 1 }),
}

export const connectionsSlowHeaders: Attack = {
  name: 'connections-slow-headers',
  tries: '10,100 connections send their headers byte by byte (slowloris)',
  limits: LIMITS,
  run: (site) =>
    flood(site, { start: ({ port }) => `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX: `, drip: 'x', addresses: 40 }),
}

export const connectionsSilent: Attack = {
  name: 'connections-silent',
  tries: '10,100 connections say nothing at all',
  limits: LIMITS,
  run: (site) => flood(site, { start: () => '', addresses: 40 }),
}

export const connectionsIdle: Attack = {
  name: 'connections-idle',
  tries: '10,100 connections make one request each and stay',
  limits: LIMITS,
  run: (site) =>
    flood(site, { start: ({ port }) => `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`, addresses: 40 }),
}

/** Connections that are accepted one in a turn of the event loop, each of which sends a request at once. */
export const connectionsRequesting: Attack = {
  name: 'connections-requesting',
  tries: '200 new connections at a time request a long page each, ten times in a row',
  // Pages of 170 KB, some dozens of them at a time.
  limits: { othersP99Ms: 500, othersMedianMs: 60, growthMib: 200 },
  async run(site) {
    const addresses = Array.from({ length: 16 }, () => site.newAddress())
    const path = dataPath({ model: 'headline', limit: '100', sort: 'updatedAt:desc' })
    const responses: TimedResponse[] = []
    for (let round = 0; round < 10; round++) {
      const batch = inParallel(200, (i) =>
        site.send({ path, token: site.reader().token, from: addresses[i % addresses.length] as string }),
      )
      responses.push(...(await batch))
    }
    return { notes: [`responses ${statusCounts(responses)}`], faults: [] }
  },
}

/** The 5 s for bodies below /auth, and an upload that never ends by a guest, byte by byte. */
export const connectionsSlowBodies: Attack = {
  name: 'connections-slow-bodies',
  tries: '2,000 connections send bodies byte by byte, below /auth and to /data',
  limits: LIMITS,
  async run(site) {
    const { id, token } = await site.guest()
    const put =
      `PUT /api/v1/data/${id}?model=user_content_preferences HTTP/1.1\r\nHost: 127.0.0.1:${site.port}\r\n` +
      `Authorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n`
    let turn = 0
    const start = (): string => (turn++ % 2 === 0 ? put : withoutBody(site))
    return flood(site, { start, drip: ' ', addresses: 8 }, 2_000)
  },
}

function withoutBody({ port }: Site): string {
  return (
    `POST /api/v1/auth/verify-code HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n` +
    'Content-Length: 64\r\n\r\n'
  )
}

async function flood(site: Site, { start, drip, addresses }: Flood, connections = CONNECTIONS) {
  const wanted = site.isQuick ? CONNECTIONS_QUICK : connections
  const count = Math.min(wanted, handlesMax() - HANDLES_RESERVED)
  const from = Array.from({ length: addresses }, () => site.newAddress())
  const sockets: Socket[] = []
  for (let i = 0; i < count; i += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - i) }, (_, j) =>
      site.connect(from[(i + j) % from.length] as string),
    )
    for (const socket of await Promise.all(batch)) {
      socket.resume()
      if (socket.writable) socket.write(start(site))
      sockets.push(socket)
    }
  }
  const until = performance.now() + (site.isQuick ? HOLD_MS_QUICK : HOLD_MS)
  while (performance.now() < until) {
    await pause(1_000)
    if (drip !== undefined) for (const socket of sockets) if (socket.writable) socket.write(drip)
  }
  const open = sockets.filter(({ writable, readyState }) => writable && readyState === 'open').length
  for (const socket of sockets) socket.resetAndDestroy()
  const few = count < wanted ? `, fewer than ${wanted} since this process may open ${handlesMax()} handles` : ''
  return { notes: [`${count} connections${few}; ${open} were open at the end`], faults: [] }
}
