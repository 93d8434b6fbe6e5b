// isolated: it counts the open sockets and timers of the process, and listens for its rejections
/**
 * The connection drops after every byte of the server's side of a conversation. A delivery always has exactly one
 * outcome, the server got the mail at most once, and nothing is left open.
 */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { DeliveryError } from '../../src/mail/delivery/delivery-error.ts'
import { createSmtpClient } from '../../src/mail/smtp/smtp.ts'
import { longRun } from '../../scripts/tools/long-run.ts'
import { LOGIN, MAIL, type Overrides, settingsFor } from '../support/smtp/smtp-delivery.ts'
import { openPeer, type PeerOptions, type Step } from '../support/smtp/smtp-peer.ts'

const SEND: readonly Step[] = [
  ['MAIL', '250 2.1.0 ok'],
  ['RCPT', '250 2.1.5 ok'],
  ['DATA', '354 go ahead'],
  ['.', '250-2.0.0 thanks\r\n250 2.0.0 queued'],
]
const IN_CLEAR: readonly Step[] = [
  ['', '220-hi\r\n220 there'],
  ['EHLO', '250-x\r\n250 SIZE 1000'],
  ...SEND,
  ['QUIT', '221 bye'],
]
const IN_ONE_GROUP: readonly Step[] = [['', '220 hi'], ['EHLO', '250-x\r\n250 PIPELINING'], ...SEND, ['QUIT', '221 bye']]
const OVER_TLS: readonly Step[] = [
  ['', '220 hi'],
  ['EHLO', '250-x\r\n250 STARTTLS'],
  ['STARTTLS', '220 go', 'tls'],
  ['EHLO', '250-x\r\n250-AUTH PLAIN\r\n250 PIPELINING'],
  ['AUTH', '235 ok'],
  ...SEND,
  ['QUIT', '221 bye'],
]

/** In bytes. A prime number, so that all places of a line are met in one conversation or another. */
const STEP = longRun(7, 1)
/** A byte at a time takes long; test/mail/smtp.test.ts does that without drops. */
const EACH_BYTE = longRun(0, 1) === 1 ? (['bytes'] as const) : []

interface Outcome {
  readonly accepted: boolean
  readonly received: number
  readonly answered: number
  readonly error: DeliveryError | undefined
}

const rejections: unknown[] = []
const onRejection = (reason: unknown): void => void rejections.push(reason)
process.on('unhandledRejection', onRejection)
after(() => {
  process.removeListener('unhandledRejection', onRejection)
  assert.deepEqual(rejections, [])
})

async function attempt(script: readonly Step[], overrides: Overrides, options: PeerOptions): Promise<Outcome> {
  await using peer = await openPeer(script, options)
  const client = createSmtpClient(settingsFor(peer.port, { timeouts: { quit: 50 }, ...overrides }))
  let [outcomes, accepted] = [0, false]
  let error: DeliveryError | undefined
  await client.deliver(MAIL).then(
    ({ reply }) => {
      outcomes++
      accepted = true
      assert.equal(reply, '250 2.0.0 thanks / 2.0.0 queued')
    },
    (thrown: unknown) => {
      outcomes++
      assert.ok(thrown instanceof DeliveryError, String(thrown))
      error = thrown
    },
  )
  await client.close()
  await peer.quiet()
  assert.equal(outcomes, 1)
  assert.equal(peer.connections, 1)
  return { accepted, received: peer.messages.length, answered: peer.answered, error }
}

const conversations = [
  ['unencrypted', IN_CLEAR, {}],
  ['in one group', IN_ONE_GROUP, {}],
  ['over TLS and with a login', OVER_TLS, { mode: 'starttls', login: LOGIN }],
] as const

describe('deliver() over a connection that drops', () => {
  for (const [name, script, overrides] of conversations) {
    for (const chunks of ['whole', 'joined', ...EACH_BYTE] as const) {
      it(`has one outcome ${name}, wherever it drops, with replies ${chunks}`, async () => {
        const { answered: bytes, accepted } = await attempt(script, overrides, { chunks })
        assert.ok(accepted && bytes > 100)
        const accepting = bytes - '221 bye\r\n'.length
        for (let dropAfter = 0; dropAfter <= bytes; dropAfter++) {
          const outcome = await attempt(script, overrides, { chunks, dropAfter })
          assert.equal(outcome.accepted, dropAfter >= accepting, `after ${dropAfter} bytes: ${outcome.error}`)
          assert.ok(outcome.received <= 1)
          if (outcome.error !== undefined) assert.equal(outcome.error.temporary, true, String(outcome.error))
        }
      })
    }
  }
})

describe('deliver() over an idle connection that drops', () => {
  for (const chunks of ['whole', ...EACH_BYTE] as const) {
    it(`delivers the mail at most once, with replies ${chunks}`, async () => {
      const script = [...IN_ONE_GROUP.slice(0, -1), ...SEND, ...IN_ONE_GROUP.slice(-1)]
      const opening = (await attempt(IN_ONE_GROUP, {}, {})).answered - '221 bye\r\n'.length
      const second = SEND.reduce((bytes, [, text]) => bytes + String(text).length + 2, 0)
      let replaced = 0
      for (let dropAfter = opening; dropAfter < opening + second; dropAfter += STEP) {
        await using peer = await openPeer(script, { chunks, dropAfter, later: [IN_ONE_GROUP] })
        const client = createSmtpClient(settingsFor(peer.port))
        await client.deliver({ ...MAIL, data: 'Subject: one\r\n\r\n' })
        const accepted = await client.deliver({ ...MAIL, data: 'Subject: two\r\n\r\n' }).then(
          () => true,
          (error: unknown) => {
            assert.ok(error instanceof DeliveryError && error.temporary && error.stage === 'message', String(error))
            return false
          },
        )
        await client.close()
        await peer.quiet()
        const times = peer.messages.filter((message) => message.includes('two')).length
        assert.ok(accepted ? times === 1 : times <= 1, `after ${dropAfter} bytes: ${times} times`)
        if (accepted) replaced++
        else assert.equal(peer.connections, 1)
      }
      // Up to the 354 a new connection takes over, from the message on none does.
      assert.ok(replaced > 30 / STEP && replaced < (second - 30) / STEP, `${replaced} of ${second}`)
    })
  }
})

it('leaves no socket and no timer behind', async () => {
  const open = (): string[] =>
    process.getActiveResourcesInfo().filter((name) => /TCPSocketWrap|TLSWrap|Timeout/.test(name))
  for (let turn = 0; turn < 50 && open().length > 0; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(open(), [])
})
