/** Connections in their TLS handshake, by their peer: requests come from another socket than the one of TCP. */
import type { Socket } from 'node:net'
import type { Connection } from './connection.ts'

export function createTlsHandshakes() {
  const byPeer = new Map<string, Connection>()
  return {
    begin(connection: Connection): void {
      const peer = peerOf(connection.socket)
      byPeer.set(peer, connection)
      connection.socket.once('close', () => {
        if (byPeer.get(peer) === connection) byPeer.delete(peer)
      })
    },
    /** The connection whose handshake has ended with this socket; undefined where it has ended meanwhile. */
    end(socket: Socket): Connection | undefined {
      const peer = peerOf(socket)
      const connection = byPeer.get(peer)
      byPeer.delete(peer)
      return connection
    },
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress ?? ''} ${remotePort ?? ''}`
}
