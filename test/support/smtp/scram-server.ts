/** The server's side of SCRAM-SHA-256, as RFC 5802 section 3 computes it from what a server stores. */
import { createHash, createHmac, pbkdf2Sync, timingSafeEqual } from 'node:crypto'

const SALT = Buffer.from('5b6d99689d12358eec2a04b1141236fa', 'hex')

export interface ScramServer {
  /** Returns the challenge for the client's first message. */
  first(message: string): string
  /** Returns the server's signature for the client's proof; undefined if the proof is wrong. */
  final(message: string): string | undefined
}

export function scramServer(password: string, iterations = 4_096): ScramServer {
  const salted = pbkdf2Sync(password, SALT, iterations, 32, 'sha256')
  const clientKey = hmac(salted, 'Client Key')
  const storedKey = createHash('sha256').update(clientKey).digest()
  let [clientFirst, serverFirst] = ['', '']
  return {
    first(message) {
      clientFirst = message.replace(/^n,,/, '')
      const nonce = /,r=(.*)$/.exec(clientFirst)?.[1] ?? ''
      serverFirst = `r=${nonce}server,s=${SALT.toString('base64')},i=${iterations}`
      return serverFirst
    },
    final(message) {
      const [, withoutProof = '', proof = ''] = /^(.*),p=(.*)$/.exec(message) ?? []
      const authMessage = `${clientFirst},${serverFirst},${withoutProof}`
      const mask = hmac(storedKey, authMessage)
      const claimed = Buffer.from(proof, 'base64').map((byte, at) => byte ^ (mask[at] ?? 0))
      if (!timingSafeEqual(createHash('sha256').update(claimed).digest(), storedKey)) return undefined
      return `v=${hmac(hmac(salted, 'Server Key'), authMessage).toString('base64')}`
    },
  }
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
