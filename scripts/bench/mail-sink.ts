/** An SMTP server of the load generator, which gives sign-in codes to those that wait for them. */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'

const END_OF_MESSAGE = '\r\n.\r\n'

/** Listens on a free port. Takes pipelined commands. */
export async function startMailSink() {
  const waiting = new Map<string, (code: string) => void>()
  const onMessage = (text: string): void => {
    const [, to = ''] = /^To: <?([^>\r\n]+)/m.exec(text) ?? []
    const [, code = ''] = /^Subject: .*?\b(\d{6})\b/m.exec(text) ?? []
    waiting.get(to)?.(code)
    waiting.delete(to)
  }
  const server = createServer({ noDelay: true }, (socket) => receiveMail(socket, onMessage))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    /** The code of the next mail to this address. */
    codeFor: (email: string) => new Promise<string>((resolve) => waiting.set(email, resolve)),
  }
}

function receiveMail(socket: Socket, onMessage: (text: string) => void): void {
  let [received, isMessage] = ['', false]
  socket.on('error', () => socket.destroy())
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
    let replies = ''
    for (;;) {
      const separator = isMessage ? END_OF_MESSAGE : '\r\n'
      const end = received.indexOf(separator)
      if (end === -1) break
      const part = received.slice(0, end)
      received = received.slice(end + separator.length)
      if (isMessage) onMessage(part)
      replies += isMessage ? '250 2.0.0 taken\r\n' : replyTo(part)
      isMessage = !isMessage && part.toUpperCase() === 'DATA'
    }
    if (replies !== '') socket.write(replies)
  })
  socket.write('220 sink\r\n')
}

function replyTo(command: string): string {
  const verb = command.slice(0, 4).toUpperCase()
  if (verb === 'EHLO') return '250-sink\r\n250-PIPELINING\r\n250 SIZE 1000000\r\n'
  if (verb === 'DATA') return '354 go ahead\r\n'
  return verb === 'QUIT' ? '221 bye\r\n' : '250 2.1.0 ok\r\n'
}
