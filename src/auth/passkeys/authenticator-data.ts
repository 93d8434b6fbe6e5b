/** Authenticator data (WebAuthn level 3, section 6.1): what an authenticator signs beside the client data. */
import { readCbor } from './cbor.ts'

const RP_ID_HASH_BYTES = 32
const FLAGS_AT = 32
const COUNT_AT = 33
const DATA_AT = 37
const AAGUID_BYTES = 16
/** Section 7.1, step 25. */
const CREDENTIAL_ID_BYTES_MAX = 1_023

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const BACKUP_ELIGIBLE = 0x08
const BACKED_UP = 0x10
const HAS_CREDENTIAL = 0x40
const HAS_EXTENSIONS = 0x80

export interface AuthenticatorData {
  readonly rpIdHash: Uint8Array
  readonly isUserPresent: boolean
  readonly isUserVerified: boolean
  /** Whether the passkey may be on several devices, and whether it is. */
  readonly mayBeBackedUp: boolean
  readonly isBackedUp: boolean
  readonly signCount: number
  /** At a registration. */
  readonly credential: { readonly id: Uint8Array; readonly publicKey: Uint8Array } | undefined
}

/** Throws CborError, or Error with what is wrong. */
export function readAuthenticatorData(bytes: Uint8Array): AuthenticatorData {
  if (bytes.length < DATA_AT) throw new Error(`Authenticator data has ${DATA_AT} bytes or more: found ${bytes.length}`)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const flags = view.getUint8(FLAGS_AT)
  const has = (flag: number): boolean => (flags & flag) !== 0
  let end = DATA_AT
  let credential: AuthenticatorData['credential']
  if (has(HAS_CREDENTIAL)) {
    const idAt = DATA_AT + AAGUID_BYTES + 2
    if (bytes.length < idAt) throw new Error('The credential in the authenticator data is cut off')
    const length = view.getUint16(idAt - 2)
    if (length === 0 || length > CREDENTIAL_ID_BYTES_MAX) throw new Error(`The id of a credential has 1 to ${CREDENTIAL_ID_BYTES_MAX} bytes: found ${length}`)
    const keyAt = idAt + length
    if (bytes.length <= keyAt) throw new Error('The credential in the authenticator data is cut off')
    end = readCbor(bytes, keyAt).end
    credential = { id: bytes.subarray(idAt, keyAt), publicKey: bytes.subarray(keyAt, end) }
  }
  if (has(HAS_EXTENSIONS)) end = readCbor(bytes, end).end
  if (end !== bytes.length) throw new Error(`${bytes.length - end} bytes follow the authenticator data`)
  return {
    rpIdHash: bytes.subarray(0, RP_ID_HASH_BYTES),
    isUserPresent: has(USER_PRESENT),
    isUserVerified: has(USER_VERIFIED),
    mayBeBackedUp: has(BACKUP_ELIGIBLE),
    isBackedUp: has(BACKED_UP),
    signCount: view.getUint32(COUNT_AT),
    credential,
  }
}
