/**
 * A channel to a mail server: commands go out, replies come back, and one attempt after the other uses it. Between two
 * attempts it is parked: it waits for nothing, does not keep the process alive, and any byte from the server ends it.
 */
import type { Stage } from '../delivery/delivery-error.ts'
import type { SmtpAttempt } from './smtp-attempt.ts'
import { type ConnectionSettings, openConnection } from './smtp-connection.ts'
import type { Reply } from './smtp-replies.ts'
import { createTranscript } from './smtp-transcript.ts'

/** RFC 4954 section 4 lets an AUTH line be this long; all our other commands are far shorter. */
const COMMAND_BYTES_MAX = 12_288

export interface Command {
  readonly stage: Stage
  /** Without its CRLF. */
  readonly line: string
  /** What the trace shows in place of the line. */
  readonly shown?: string
}

export type SmtpChannel = ReturnType<typeof createChannel>

/** Connects. Rejects with a temporary DeliveryError. */
export async function openChannel(settings: ConnectionSettings, attempt: SmtpAttempt): Promise<SmtpChannel> {
  const channel = createChannel(settings, attempt)
  try {
    await channel.connected()
    return channel
  } catch (error) {
    channel.close()
    throw error
  }
}

function createChannel(settings: ConnectionSettings, firstAttempt: SmtpAttempt) {
  const { host, port } = settings.server
  const transcript = createTranscript(settings.server)
  let leaveAttempt = (): void => {}

  const serve = (attempt: SmtpAttempt): void => {
    const end = (): void => void connection.end(attempt.abortReason ?? 'it is over')
    transcript.follow(attempt)
    leaveAttempt = attempt.onAbort(end)
    if (attempt.abortReason !== undefined) end()
  }
  firstAttempt.trace('note', `connecting to ${host}:${port}`)
  const connection = openConnection(settings, transcript, () => parking.interrupt())
  const parking = createParking(connection.socket)
  serve(firstAttempt)

  const send = (commands: readonly Command[]): void => {
    for (const command of commands) {
      assertSendable(command)
      transcript.client(command.shown ?? command.line)
    }
    connection.write(commands[0]!.stage, commands.map(({ line }) => `${line}\r\n`).join(''))
  }

  return {
    get isOpen(): boolean {
      return connection.isOpen
    },
    get isEncrypted(): boolean {
      return connection.isEncrypted
    },
    /** The addresses of both ends. */
    socket: connection.socket as Pick<typeof connection.socket, 'remoteAddress' | 'localAddressLiteral'>,
    mask: transcript.mask,
    safe: transcript.safe,
    error: connection.error,
    reply: connection.reply,
    startTls: connection.startTls,
    async connected(): Promise<void> {
      await connection.connected()
      transcript.note(`connected to ${connection.socket.remoteAddress}`)
    },
    /** Sends commands in one packet (RFC 2920); the replies are then taken one by one. */
    send,
    command(stage: Stage, line: string, shown = line): Promise<Reply> {
      send([{ stage, line, shown }])
      return connection.reply(stage)
    },
    /** Sends the message with its final dot and waits for the reply. */
    message(bytes: Uint8Array): Promise<Reply> {
      transcript.client(`… ${bytes.length} bytes`)
      connection.write('message', bytes)
      return connection.reply('message')
    },
    /** Leaves the attempt and keeps the channel for another, for at most `ms`. `onEnd` is called when it cannot be kept. */
    park(ms: number, onEnd: () => void): void {
      leaveAttempt()
      transcript.follow(undefined)
      if (!connection.isQuiet) {
        onEnd()
        return
      }
      parking.start(ms, onEnd)
    },
    /** Ends the parking: the caller will use the channel, or close it. */
    wake: parking.stop,
    resume(attempt: SmtpAttempt): void {
      parking.stop()
      serve(attempt)
      transcript.note(`using the open connection to ${host}:${port}`)
    },
    /** Frees the socket and leaves the attempt. To be called once the conversation is over, however it went. */
    close(): void {
      connection.end('it is over')
      leaveAttempt()
    },
  }
}

function assertSendable({ stage, line }: Command): void {
  if (/[\r\n\0]/.test(line) || Buffer.byteLength(line) > COMMAND_BYTES_MAX - 2) {
    throw new Error(`Cannot send SMTP command at ${stage}: it has a line break or is too long`)
  }
}

/** The time in which no attempt uses the channel: over after `ms`, or as soon as the connection does anything. */
function createParking(socket: { readonly ref: () => void; readonly unref: () => void }) {
  let timer: NodeJS.Timeout | undefined
  let onEnd: (() => void) | undefined
  const stop = (): void => {
    onEnd = undefined
    clearTimeout(timer)
    socket.ref()
  }
  const interrupt = (): void => {
    const callback = onEnd
    if (callback === undefined) return
    stop()
    callback()
  }
  return {
    start(ms: number, callback: () => void): void {
      onEnd = callback
      timer = setTimeout(interrupt, ms)
      timer.unref()
      socket.unref()
    },
    stop,
    interrupt,
  }
}
