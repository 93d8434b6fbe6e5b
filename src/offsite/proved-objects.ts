/**
 * Storing an object with its proof: what was stored is read back, decrypted, unpacked and compared with what was sent, which had
 * been checked before.
 *
 * The service has no key to read its backups, so that a thief of the machine has none either. So each object is also encrypted for
 * an identity that lives in memory alone, and no longer than its proof.
 */
import { decryptAge, encryptAge } from '../age/age.ts'
import { newIdentity, parseIdentity, parseRecipient, type AgeIdentity, type AgeRecipient } from '../age/age-keys.ts'
import type { Bytes } from '../base/byte-source.ts'
import type { Clock } from '../base/clock.ts'
import { PlaceError, type Place } from './place.ts'
import { measured, openObject, sealObject } from './sealed-objects.ts'

export interface Storing {
  readonly place: Place
  /** Those of the operator, one at least. */
  readonly recipients: readonly AgeRecipient[]
  readonly now: Clock
}

interface ObjectForm {
  seal(recipients: readonly AgeRecipient[], plain: Bytes): Bytes
  open(identities: readonly AgeIdentity[], sealed: Bytes): Bytes
}

const COMPRESSED: ObjectForm = { seal: sealObject, open: openObject }
/** For what is compressed already. */
export const UNCOMPRESSED: ObjectForm = { seal: encryptAge, open: decryptAge }

/** Stores a short object, and compares what is read back. Returns its bytes. Rejects with a PlaceError. */
export async function putProved(
  { place, recipients }: Storing,
  key: string,
  plain: Bytes,
  length: number,
  isSame: (read: Bytes) => Promise<boolean>,
  { seal, open }: ObjectForm = COMPRESSED,
): Promise<number> {
  const own = oneTime()
  const sealed = measured(seal([...recipients, own.recipient], plain))
  await place.put(key, sealed.content, length + 1024 * 1024)
  if (!(await provedOr(() => isSame(open([own.identity], place.get(key)))))) throw await unlikeStored(place, key)
  return sealed.bytes()
}

/** False for what cannot be read back as what it was; rejects where the place cannot be reached. */
export async function provedOr(prove: () => Promise<boolean>): Promise<boolean> {
  try {
    return await prove()
  } catch (error) {
    if (error instanceof PlaceError && error.kind !== 'damaged' && error.kind !== 'missing') throw error
    return false
  }
}

/** Removes an object that is not what was stored, and gives the error that says so. */
export async function unlikeStored(place: Place, key: string): Promise<PlaceError> {
  await place.remove(key).catch(() => {})
  return new PlaceError('damaged', `${place.name}: what was read back differs from what was stored, and was removed: check the disks of the place`)
}

/** An identity for the proof of one object. */
export function oneTime(): { readonly identity: AgeIdentity; readonly recipient: AgeRecipient } {
  const { identity, recipient } = newIdentity()
  return { identity: parseIdentity(identity), recipient: parseRecipient(recipient) }
}
