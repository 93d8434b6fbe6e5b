/** An authenticator in software, and the browser around it: makes and uses ES256 passkeys as WebAuthn level 3 describes. */
import { createHash, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'

export interface MadePasskey {
  readonly id: string
  readonly origin: string
  readonly userHandle: string
  readonly privateKey: KeyObject
}

export interface Deviation {
  readonly origin?: string
  readonly type?: string
  /** Of the site that the authenticator believes to be on. */
  readonly rpId?: string
  readonly flags?: number
  readonly signCount?: number
  /** More members of the client data. */
  readonly more?: Readonly<Record<string, unknown>>
}

/** The user is present and verified. */
export const VERIFIED = 0x05
export const CREDENTIAL = 0x40

const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest()
const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

export const cbor = {
  bytes: (value: Uint8Array): Buffer => Buffer.concat([head(2, value.length), value]),
  text: (value: string): Buffer => Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]),
  int: (value: number): Buffer => (value < 0 ? head(1, -1 - value) : head(0, value)),
  map: (entries: readonly (readonly [Buffer, Buffer])[]): Buffer => Buffer.concat([head(5, entries.length), ...entries.flat()]),
}

function head(major: number, n: number): Buffer {
  if (n < 24) return Buffer.from([(major << 5) | n])
  if (n < 256) return Buffer.from([(major << 5) | 24, n])
  return Buffer.from([(major << 5) | 25, n >> 8, n & 0xff])
}

function clientData(type: string, challenge: string, { origin = '', more = {} }: Deviation): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...more }))
}

function authenticatorData({ rpId = '', flags = VERIFIED, signCount = 0 }: Deviation, credential = Buffer.alloc(0)): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(signCount)
  return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, credential])
}

/** The response to a registration at a page, in the members of `POST /auth/passkeys`, and the passkey. */
export function makePasskey(challenge: string, userHandle: string, deviation: Deviation & { readonly origin: string }, id = Buffer.from(`passkey ${challenge}`).subarray(0, 30)) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const { int, bytes, text, map } = cbor
  const key = map([
    [int(1), int(2)],
    [int(3), int(-7)],
    [int(-1), int(1)],
    [int(-2), bytes(Buffer.from(x, 'base64url'))],
    [int(-3), bytes(Buffer.from(y, 'base64url'))],
  ])
  const length = Buffer.from([id.length >> 8, id.length & 0xff])
  const rpId = new URL(deviation.origin).hostname
  const data = authenticatorData({ rpId, flags: VERIFIED | CREDENTIAL, ...deviation }, Buffer.concat([Buffer.alloc(16), length, id, key]))
  const attestationObject = base64url(map([[text('fmt'), text('none')], [text('attStmt'), map([])], [text('authData'), bytes(data)]]))
  const clientDataJSON = base64url(clientData(deviation.type ?? 'webauthn.create', challenge, deviation))
  const passkey: MadePasskey = { id: base64url(id), origin: deviation.origin, userHandle, privateKey }
  return { response: { clientDataJSON, attestationObject }, passkey }
}

/** The response of a passkey to a challenge, in the members of `POST /auth/passkeys/sign-in`. */
export function usePasskey({ id, origin, userHandle, privateKey }: MadePasskey, challenge: string, deviation: Deviation = {}) {
  const data = authenticatorData({ rpId: new URL(origin).hostname, ...deviation })
  const client = clientData(deviation.type ?? 'webauthn.get', challenge, { origin, ...deviation })
  const signature = createSign('sha256').update(Buffer.concat([data, sha256(client)])).sign(privateKey)
  return { id, clientDataJSON: base64url(client), authenticatorData: base64url(data), signature: base64url(signature), userHandle }
}
