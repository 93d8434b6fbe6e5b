/**
 * The key that signs mail (`--mail-dkim-key`, `--mail-dkim-selector`), checked at start: a signature that nobody can
 * verify makes mail look forged, which is worse than none.
 */
import { describe } from '../../base/failure.ts'
import { type Mailbox, wireAddress } from '../address.ts'
import { openDkimSigner, type Signer } from '../message/dkim.ts'
import { DkimError, parseDkimKey } from '../message/dkim-key.ts'
import { cannotUse, MailSettingError, readSecretFile } from './setting-file.ts'

const KEY_BYTES_MAX = 20_000

/** The settings as config/settings.ts reads them, and the sender for whom they sign. */
export interface DkimOptions {
  readonly mailDkimKey: string | undefined
  readonly mailDkimSelector: string | undefined
  readonly mailFrom: Mailbox
}

export interface MailSigning {
  readonly sign: Signer
  readonly selector: string
  /** The sender's, in ASCII. */
  readonly domain: string
}

/** Reads the two settings, of which both or neither are given. Throws a MailSettingError. */
export function readDkimSettings({ mailDkimKey: path, mailDkimSelector: selector, mailFrom }: DkimOptions): {
  readonly signing?: MailSigning
  readonly warnings: readonly string[]
} {
  if (path === undefined && selector === undefined) return { warnings: [] }
  if (path === undefined) {
    throw new MailSettingError('Cannot use --mail-dkim-selector: expected --mail-dkim-key with it, found none')
  }
  if (selector === undefined) {
    throw new MailSettingError('Cannot use --mail-dkim-key: expected --mail-dkim-selector with it, found none')
  }
  const domain = (wireAddress(mailFrom.address) ?? '').replace(/^.*@/, '').toLowerCase()
  // The public key is looked up in DNS, where names like localhost are not.
  if (!domain.includes('.')) {
    throw new MailSettingError(
      `Cannot use --mail-dkim-key: expected a --mail-from at a domain in DNS, found ${describe(mailFrom.address)}`,
    )
  }
  const setting = { flag: '--mail-dkim-key', path, wanted: 'a private key in PEM', bytesMax: KEY_BYTES_MAX }
  const { bytes, warnings } = readSecretFile(setting)
  const keyPem = bytes.toString('latin1')
  explained(setting, () => parseDkimKey(keyPem))
  const sign = explained({ flag: '--mail-dkim-selector', path: selector }, () =>
    openDkimSigner({ keyPem, selector, domain }),
  )
  return { signing: { sign, selector, domain }, warnings }
}

/** Runs the work; where it fails, the error names the setting that is to blame. */
function explained<T>(setting: Parameters<typeof cannotUse>[0], work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof DkimError)) throw error
    throw cannotUse(setting, error.message.replace(/^.*?: (?=expected )/s, ''))
  }
}
