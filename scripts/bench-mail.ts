/**
 * `npm run bench -- mail [N]`: N mails (default 10,000) over one connection, in mails a second, as a ratio to a loop
 * that writes the same bytes in the same two steps to the same peer and knows nothing of SMTP; and by how much the heap
 * has grown after them (exit status 1: too much). The peer is a process of its own, on another core where `taskset` is
 * there, and answers at once.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { composeMessage } from '../src/mail/message/message.ts'
import { createSmtpClient, type SmtpClient } from '../src/mail/smtp/smtp.ts'
import type { OutgoingMail } from '../src/mail/smtp/smtp-envelope.ts'
import { signInMessage } from '../src/mail/templates/templates.ts'

const MAILS_DEFAULT = 10_000
const ROUNDS = 9
const WARM_UP_MAILS = 5_000
/** What 10,000 mails may leave on the heap: noise of the collector, and nothing that grows with their number. */
const GROWTH_KIB_MAX = 2_048

/** What the peer says: to the connection, to EHLO, to MAIL with RCPT and DATA, to a message. */
const PEER = `
  const { createServer } = require('node:net')
  const answers = [['EHLO', '250-peer\\r\\n250-PIPELINING\\r\\n250 SIZE 1000000\\r\\n'], ['QUIT', '221 bye\\r\\n']]
  createServer({ noDelay: true }, (socket) => {
    socket.write('220 hi\\r\\n')
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      const end = chunk.subarray(-7).toString('latin1')
      if (end.endsWith('\\r\\n.\\r\\n')) return socket.write('250 2.0.0 queued\\r\\n')
      if (end.endsWith('DATA\\r\\n')) return socket.write('250 2.1.0 ok\\r\\n250 2.1.5 ok\\r\\n354 go ahead\\r\\n')
      const verb = chunk.subarray(0, 4).toString('latin1')
      for (const [hears, text] of answers) if (verb === hears) socket.write(text)
    })
  }).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`

export async function benchMail([count = String(MAILS_DEFAULT)]: readonly string[]): Promise<void> {
  const mails = Number(count)
  const pinned = spawnSync('taskset', ['--version']).status === 0
  const [command = '', ...words] = [...(pinned ? ['taskset', '-c', '1'] : []), process.execPath, '-e', PEER]
  const peer = spawn(command, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const port = Number((await once(createInterface({ input: peer.stdout }), 'line'))[0])
    const mail = signInMail()
    const client = createSmtpClient({
      servers: [{ host: '127.0.0.1', port }],
      tls: { mode: 'none', verify: false },
      cleartextLogin: false,
      limits: { mailsPerSession: Number.MAX_SAFE_INTEGER },
    })
    await send(client, mail, WARM_UP_MAILS)
    await bareLoop(port, mail, WARM_UP_MAILS)
    const before = heapBytes()
    const ratios: number[] = []
    const rates: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const part = Math.ceil(mails / ROUNDS)
      const bare = await bareLoop(port, mail, part)
      const ours = await send(client, mail, part)
      rates.push(ours)
      ratios.push(ours / bare)
    }
    const grown = (heapBytes() - before) / 1024
    await client.close()
    console.log(
      `${mails} mails of ${mail.data.length} bytes over one connection: ${Math.round(median(rates))} mails/s, ` +
        `ratio to a bare socket ${median(ratios).toFixed(2)}, heap ${grown < 0 ? '' : '+'}${grown.toFixed(0)} KiB`,
    )
    if (grown > GROWTH_KIB_MAX) {
      console.error(`The heap has grown: expected at most ${GROWTH_KIB_MAX} KiB, got ${grown.toFixed(0)}`)
      process.exitCode = 1
    }
  } finally {
    peer.kill('SIGKILL')
  }
}

/** Mails a second, one after the other. */
async function send(client: SmtpClient, mail: OutgoingMail, count: number): Promise<number> {
  const since = performance.now()
  for (let sent = 0; sent < count; sent++) await client.deliver(mail)
  return count / ((performance.now() - since) / 1000)
}

/** The same, by a loop that takes any answer for the right one. */
async function bareLoop(port: number, { from, to, data }: OutgoingMail, count: number): Promise<number> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'data')
  const request = Buffer.from(`MAIL FROM:<${from}> SIZE=${data.length}\r\nRCPT TO:<${to}>\r\nDATA\r\n`)
  const message = Buffer.from(`${data}.\r\n`)
  const since = performance.now()
  const { promise, resolve } = Promise.withResolvers<undefined>()
  let answers = 0
  socket.on('data', () => {
    answers++
    if (answers === 2 * count) resolve(undefined)
    else socket.write(answers % 2 === 0 ? request : message)
  })
  socket.write(request)
  await promise
  socket.destroy()
  return count / ((performance.now() - since) / 1000)
}

function signInMail(): OutgoingMail {
  const [from, to] = ['no-reply@example.org', 'reader@example.net']
  const content = signInMessage({ code: '042137', minutes: 15, appName: 'Dateline', languages: [] })
  const parts = { ...content, from: { name: 'Dateline', address: from }, to, date: 0 }
  return { from, to, data: composeMessage({ ...parts, messageId: 'abcdefgh', boundary: 'qwertyuiop' }) }
}

function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
