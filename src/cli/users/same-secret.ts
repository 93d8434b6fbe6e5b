/**
 * Whether a command has the secret of the service beside it. A code or a token that is made with another one is refused
 * there, and hashes of addresses in the audit trail are other ones; nothing would tell why.
 */
import { SIGNING_KEYS_NOTE, type Services } from '../../app/services.ts'
import { fail } from '../../base/failure.ts'

/** Throws conflict where the service last started with another secret than this command reads. */
export async function requireSameSecret({ store, keys }: Services): Promise<void> {
  const known = await store.readNote(SIGNING_KEYS_NOTE)
  // Not there before the first start. The newest key is the one that codes are made with.
  if (!Array.isArray(known) || known[0] === keys.signing[0].id) return
  throw fail(
    'conflict',
    'This command does not have the secret of the service: it started with another secret. Run the command with the same ' +
      'DATELINE_JWT_SECRET or DATELINE_JWT_SECRET_FILE as the service, or restart the service after a change of secrets',
  )
}
