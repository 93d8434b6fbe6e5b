/** New secrets for the addresses of publications. A secret is shown once; only its hash is stored. */
import { randomBytes } from 'node:crypto'
import type { Actor } from '../../store/actor.ts'
import type { Writable } from '../../store/writes/writer.ts'
import { hashOfSecret } from './publication-reads.ts'

/** 144 bits: 24 characters of base64url, without padding. */
const SECRET_BYTES = 18

/** Gives a publication a new secret, which ends the former one. Undefined where there is no such publication. */
export async function newPublicationSecret(store: Writable, id: string, actor: Actor): Promise<string | undefined> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  return (await store.as(actor).putPublicationSecret(id, hashOfSecret(secret))) ? secret : undefined
}
