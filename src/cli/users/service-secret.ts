/** Whether a command has the secret of the service. */
import { SIGNING_KEYS_NOTE, type Services } from '../../app/services.ts'
import { fail } from '../../base/failure.ts'

/** Throws conflict where the service last started with another secret: it would reject codes and tokens made here. */
export async function requireServiceSecret({ store, keys }: Services): Promise<void> {
  const known = store.settings.readMeta(SIGNING_KEYS_NOTE)
  // There is no note before the first start. Codes are made with the newest key, the first.
  if (!Array.isArray(known) || known[0] === keys.signing[0].id) return
  throw fail(
    'conflict',
    'This command does not have the secret of the service: it started with another secret. Run the command with the same ' +
      'DATELINE_JWT_SECRET or DATELINE_JWT_SECRET_FILE as the service, or restart the service after a change of secrets',
  )
}
