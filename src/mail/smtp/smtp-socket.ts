/** The socket to a mail server: TCP, and after `startTls` the same connection inside TLS. */
import { connect, isIP, isIPv6, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls'
import type { SmtpServer } from './smtp-error.ts'

/** Time for one address of a host before the next is tried as well, in milliseconds (RFC 8305 says 250). */
const NEXT_ADDRESS_MS = 1_000

interface SocketEvents {
  readonly onReady: () => void
  readonly onData: (chunk: Buffer) => void
  readonly onClose: () => void
  readonly onError: (error: NodeJS.ErrnoException) => void
}

export function openSocket({ host, port }: SmtpServer, { onReady, onData, onClose, onError }: SocketEvents) {
  const tcp = connect({ host, port, noDelay: true, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS })
  let socket: Socket = tcp
  let isReady = false

  /** Inside TLS only the TLS socket counts; the TCP socket beneath it can still report an error. */
  const listen = (source: Socket, readyEvent: 'connect' | 'secureConnect'): void => {
    const closeIfCurrent = (): void => {
      if (source === socket) onClose()
    }
    source.on('data', (chunk: Buffer) => {
      if (source === socket) onData(chunk)
    })
    source.on('error', onError)
    source.on('end', closeIfCurrent)
    source.on('close', closeIfCurrent)
    source.once(readyEvent, () => {
      isReady = true
      onReady()
    })
  }
  listen(tcp, 'connect')

  return {
    /** Whether TCP is connected and, once TLS was started, its handshake done. */
    get isReady(): boolean {
      return isReady
    },
    /** The IP address of the server, once connected. */
    get remoteAddress(): string {
      return tcp.remoteAddress ?? ''
    },
    /** Our own address as an address literal (RFC 5321 section 4.1.3), for EHLO. */
    get localAddressLiteral(): string {
      const address = (tcp.localAddress ?? '127.0.0.1').replace(/^::ffff:(?=\d+\.)/, '')
      return isIPv6(address) ? `[IPv6:${address}]` : `[${address}]`
    },
    write: (bytes: string | Uint8Array): void => void socket.write(bytes),
    /** Starts the handshake. The caller checks the certificate: a socket that rejects by itself hides the issuer. */
    startTls(name: string, secureContext: SecureContext): TLSSocket {
      const secured = connectTls({
        socket: tcp,
        host: name,
        // Server Name Indication takes no IP addresses (RFC 6066 section 3).
        servername: isIP(name) === 0 ? name : '',
        secureContext,
        rejectUnauthorized: false,
      })
      socket = secured
      isReady = false
      listen(secured, 'secureConnect')
      return secured
    },
    ref: (): void => void socket.ref(),
    unref: (): void => void socket.unref(),
    destroy(): void {
      socket.destroy()
      tcp.destroy()
    },
  }
}
