/**
 * A mail server for tests that accepts any number of connections at once, over real sockets, and rejects where a rule
 * says so. smtp-peer.ts follows a script; this one behaves normally, and keeps what it accepted.
 */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'

export type ExchangeStage = 'greeting' | 'mail' | 'rcpt' | 'message'

/** The reply at a stage in place of acceptance; undefined accepts. It may be slow. */
export type Rule = (stage: ExchangeStage, to: string) => Promise<string | undefined> | string | undefined

export interface AcceptedMail {
  readonly to: string
  readonly data: string
  readonly messageId: string
  /** Counts the messages of all connections in the order of their final dots. */
  readonly arrival: number
  /**
   * Whether the client sent anything more on the connection after the mail was accepted: then it has read that reply.
   */
  isAcknowledged: boolean
}

export interface MailExchange extends AsyncDisposable {
  readonly port: number
  rule: Rule
  /** In the order in which they were accepted. */
  readonly accepted: readonly AcceptedMail[]
  /** Connections so far. */
  readonly conversations: number
}

/** Listens on any free port of 127.0.0.1. */
export async function openMailExchange(rule: Rule = () => undefined): Promise<MailExchange> {
  const accepted: AcceptedMail[] = []
  const sockets = new Set<Socket>()
  let conversations = 0
  const server = createServer((socket) => {
    conversations++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    void converse(socket, accepted, (stage, to) => exchange.rule(stage, to)).catch(() => socket.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const exchange: MailExchange = {
    port: (server.address() as AddressInfo).port,
    rule,
    accepted,
    get conversations() {
      return conversations
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return exchange
}

let arrivals = 0

/** Reads line by line, and replies to each before it reads the next. */
async function converse(socket: Socket, accepted: AcceptedMail[], rule: Rule): Promise<void> {
  const say = (text: string): void => void socket.write(`${text}\r\n`)
  let last: AcceptedMail | undefined
  let [to, data, inMessage] = ['', '', false]
  say((await rule('greeting', '')) ?? '220 mx.example.org ESMTP')
  let buffered = ''
  for await (const chunk of socket) {
    buffered += (chunk as Buffer).toString('latin1')
    for (let end = buffered.indexOf('\r\n'); end >= 0; end = buffered.indexOf('\r\n')) {
      const line = buffered.slice(0, end)
      buffered = buffered.slice(end + 2)
      if (last !== undefined) last.isAcknowledged = true
      if (inMessage && line !== '.') {
        data += `${line.startsWith('.') ? line.slice(1) : line}\r\n`
        continue
      }
      const verb = inMessage ? '.' : line.slice(0, 4).toUpperCase()
      switch (verb) {
        case 'EHLO':
          say('250-mx.example.org\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SMTPUTF8')
          break
        case 'MAIL':
          ;[to, data] = ['', '']
          say((await rule('mail', '')) ?? '250 2.1.0 ok')
          break
        case 'RCPT': {
          const recipient = /<([^>]*)>/.exec(line)?.[1] ?? ''
          const rejection = await rule('rcpt', recipient)
          if (rejection === undefined) to = recipient
          say(rejection ?? '250 2.1.5 ok')
          break
        }
        case 'DATA':
          inMessage = to !== ''
          say(inMessage ? '354 go on' : '503 5.5.1 no recipient')
          break
        case '.': {
          inMessage = false
          const arrival = ++arrivals
          const rejection = await rule('message', to)
          if (rejection === undefined && !socket.destroyed) {
            const messageId = /^Message-ID: (\S+)/im.exec(data)?.[1] ?? ''
            last = { to, data, messageId, arrival, isAcknowledged: false }
            accepted.push(last)
          }
          say(rejection ?? '250 2.0.0 queued')
          break
        }
        case 'QUIT':
          say('221 2.0.0 bye')
          socket.end()
          break
        default:
          say('250 2.0.0 ok')
      }
    }
  }
}
