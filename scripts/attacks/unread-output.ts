/** What the service says and no reader takes: lines of the log, and responses. */
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Attack, Site } from './attack.ts'
import { dataPath, inParallel, writeAll } from './loopback-client.ts'

/** A line of the log for a request has at least so many bytes. */
const LINE_BYTES = 200
const LOG_BYTES = 64 * 1024 * 1024
const LOG_BYTES_QUICK = 4 * 1024 * 1024
const CONNECTIONS = 8
const PIPELINED = 20
const STATUS_LINE = 'HTTP/1.1 200'
const HOLD_MS = 3_000
const ACCEPT_MS = 500
const READ_MS_MAX = 30_000

export const logUnread: Attack = {
  name: 'log-unread',
  tries: 'requests for 64 MiB of log lines while the program that started the service does not read its stderr',
  isQuick: true,
  // The requests take the one core that serves requests, which is not what is measured here.
  // Kept lines would take more than 64 MiB beside what such a load takes anyhow.
  limits: { growthMib: 100, othersMedianMs: 100, othersP99Ms: 1_000 },
  async run(site) {
    const requests = Math.floor((site.isQuick ? LOG_BYTES_QUICK : LOG_BYTES) / LINE_BYTES)
    site.pauseLog()
    try {
      const completed = await pipelined(site, requests)
      return {
        notes: [`${completed} of ${requests} requests have a response`],
        faults: completed === requests ? [] : [`only ${completed} of ${requests} requests have a response`],
      }
    } finally {
      site.resumeLog()
    }
  },
}

export const responsesUnread: Attack = {
  name: 'responses-unread',
  tries: '200 connections of 16 users request 20 long pages each and read nothing',
  // The service keeps up to 256 MiB of responses for clients that are slow to take them.
  limits: { growthMib: 380, othersMedianMs: 100, othersP99Ms: 1_000 },
  async run(site) {
    const addresses = Array.from({ length: 16 }, () => site.newAddress())
    const path = dataPath({ model: 'headline', limit: '100', sort: 'updatedAt:desc' })
    const sockets = await inParallel(200, (i) => site.connect(addresses[i % addresses.length] as string))
    // Node accepts one connection in a turn of the event loop, and those of others after these.
    await pause(ACCEPT_MS)
    for (const socket of sockets) {
      const { token } = site.reader()
      socket.pause()
      const one = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${site.port}\r\nAuthorization: Bearer ${token}\r\n\r\n`
      socket.write(one.repeat(20))
    }
    await pause(HOLD_MS)
    for (const socket of sockets) socket.resetAndDestroy()
    return { notes: [], faults: [] }
  },
}

export const pipelining: Attack = {
  name: 'pipelining',
  tries: '50 connections send 2,000 requests each in advance',
  limits: { othersP99Ms: 500, othersMedianMs: 60 },
  async run(site) {
    const guest = await site.guest()
    const path = dataPath({ model: 'topic', limit: '50' })
    const sockets = await inParallel(site.isQuick ? 10 : 50, async () => {
      const socket = await site.connect(site.newAddress())
      const one = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${site.port}\r\nAuthorization: Bearer ${guest.token}\r\n\r\n`
      socket.resume()
      await Promise.race([writeAll(socket, one.repeat(2_000)), pause(HOLD_MS)])
      return socket
    })
    await pause(HOLD_MS / 2)
    for (const socket of sockets) socket.resetAndDestroy()
    return { notes: [], faults: [] }
  },
}

/** Sends so many requests, some in advance on each connection, and counts the responses. */
async function pipelined(site: Site, requests: number): Promise<number> {
  const one = `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${site.port}\r\n\r\n`
  let [left, completed] = [requests, 0]
  await inParallel(CONNECTIONS, async () => {
    const socket = await site.connect(site.newAddress())
    for (let taken = take(); taken > 0 && socket.writable; taken = take()) {
      const responses = countResponses(socket, taken)
      socket.write(one.repeat(taken))
      const count = await responses
      completed += count
    }
    socket.destroy()
  })
  return completed

  function take(): number {
    const count = Math.min(PIPELINED, left)
    left -= count
    return count
  }
}

/** Resolves when so many responses have come, or the connection has ended. */
function countResponses(socket: Socket, wanted: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  let [count, tail] = [0, '']
  const onData = (chunk: Buffer): void => {
    const text = tail + chunk.toString('latin1')
    let counted = 0
    for (let at = text.indexOf(STATUS_LINE); at !== -1; at = text.indexOf(STATUS_LINE, counted)) {
      count++
      counted = at + STATUS_LINE.length
    }
    // A status line may be split between two chunks; one that was counted must not be seen again.
    tail = text.slice(Math.max(counted, text.length - STATUS_LINE.length + 1))
    if (count >= wanted) finish()
  }
  const finish = (): void => {
    clearTimeout(timer)
    socket.off('data', onData).off('close', finish)
    resolve(count)
  }
  const timer = setTimeout(finish, READ_MS_MAX)
  socket.on('data', onData).once('close', finish)
  return promise
}
