/** Ports of loopback for processes that must be told theirs before they start. */
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Systems give connections that go out, and listeners at port 0, ports from 32,768 (Linux, `ip_local_port_range` in ip(7)) or
 * from 49,152 (RFC 6335 section 6): a port below stays free until its process listens, also while that waits for others.
 */
const FIRST = 20_000
const COUNT = 32_768 - FIRST
/** How many of them a process has ahead of those of the process with the next id. */
const OF_PROCESS = 97

let given = 0

/** Ports that are free, none of which this process has been given before. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports: number[] = []
  while (ports.length < count) {
    if (given === COUNT) throw new Error(`Of the ports from ${FIRST} to ${FIRST + COUNT - 1}, not ${count} are free`)
    const port = FIRST + (process.pid * OF_PROCESS + given++) % COUNT
    if (await isFree(port)) ports.push(port)
  }
  return ports
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return false
  }
  await once(server.close(), 'close')
  return true
}
