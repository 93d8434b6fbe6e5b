/**
 * Whether another program listens where a server of ours does. Sockets with SO_REUSEPORT share a port without an error,
 * and two services that start at once may both have found it free before.
 */
import { readFileSync, readlinkSync } from 'node:fs'
import type { Server } from 'node:net'
import { descriptorOf } from './node-internals.ts'

const LISTENING = '0A'
const ANY_ADDRESS = /^0+$/

interface Listener {
  readonly address: string
  readonly port: string
  readonly inode: string
}

/** False where the system does not tell, as outside of Linux. The server listens on a port of TCP. */
export function hasOtherListener(server: Server): boolean {
  try {
    const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${descriptorOf(server)}`))?.[1]
    const all = ['tcp', 'tcp6'].flatMap((name) => listenersIn(readFileSync(`/proc/self/net/${name}`, 'latin1')))
    const own = all.find((one) => one.inode === inode)
    return own !== undefined && all.some((one) => one !== own && one.port === own.port && overlap(one, own))
  } catch {
    return false
  }
}

function overlap(one: Listener, other: Listener): boolean {
  return one.address === other.address || ANY_ADDRESS.test(one.address) || ANY_ADDRESS.test(other.address)
}

/** Lines such as `0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 1000 0 4711 1 …` (proc_net(5)). */
function listenersIn(table: string): readonly Listener[] {
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
    const [address = '', port = ''] = local.split(':')
    return state === LISTENING ? [{ address, port, inode }] : []
  })
}
