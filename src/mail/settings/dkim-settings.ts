/** The key that signs mail, checked at start: a signature that cannot be verified makes mail look forged. */
import { describe } from '../../base/failure.ts'
import { type Mailbox, wireAddress } from '../address.ts'
import { createDkimSigner, type Signer } from '../message/dkim.ts'
import { DkimError, parseDkimKey } from '../message/dkim-key.ts'
import { cannotUse, SettingError, readSecretFile } from '../../base/setting-file.ts'

const KEY_BYTES_MAX = 20_000

export interface DkimSettings {
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

/** Reads the two settings, either both or neither. Throws a SettingError. */
export function readDkimSettings({ mailDkimKey: path, mailDkimSelector: selector, mailFrom }: DkimSettings): {
  readonly signing?: MailSigning
  readonly warnings: readonly string[]
} {
  if (path === undefined && selector === undefined) return { warnings: [] }
  if (path === undefined) {
    throw new SettingError('Cannot use --mail-dkim-selector: expected --mail-dkim-key with it, found none')
  }
  if (selector === undefined) {
    throw new SettingError('Cannot use --mail-dkim-key: expected --mail-dkim-selector with it, found none')
  }
  const domain = (wireAddress(mailFrom.address) ?? '').replace(/^.*@/, '').toLowerCase()
  // The public key is looked up in DNS, where names like localhost are not.
  if (!domain.includes('.')) {
    throw new SettingError(
      `Cannot use --mail-dkim-key: expected a --mail-from at a domain in DNS, found ${describe(mailFrom.address)}`,
    )
  }
  const setting = { flag: '--mail-dkim-key', path, expected: 'a private key in PEM', bytesMax: KEY_BYTES_MAX }
  const { bytes, warnings } = readSecretFile(setting)
  const keyPem = bytes.toString('latin1')
  namingSetting(setting, () => parseDkimKey(keyPem))
  const sign = namingSetting({ flag: '--mail-dkim-selector', path: selector }, () =>
    createDkimSigner({ keyPem, selector, domain }),
  )
  return { signing: { sign, selector, domain }, warnings }
}

/** Runs the work; a DkimError becomes one that names the setting. */
function namingSetting<T>(setting: Parameters<typeof cannotUse>[0], work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof DkimError)) throw error
    throw cannotUse(setting, error.message.replace(/^.*?: (?=expected )/s, ''))
  }
}
