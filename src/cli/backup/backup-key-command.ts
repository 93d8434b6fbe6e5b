/**
 * `dateline backup key`: the key of off-site backups. The machine keeps the recipient alone, which encrypts; the identity, which reads
 * them, is printed once, for a safe place elsewhere.
 */
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { encryptAge } from '../../age/age.ts'
import { AgeError } from '../../age/age-error.ts'
import { newIdentity, parseRecipient } from '../../age/age-keys.ts'
import { streamOf } from '../../base/byte-source.ts'
import { systemClock } from '../../base/clock.ts'
import { isoDate } from '../../base/dates.ts'
import { makeDirectory, replaceFile } from '../../base/directory.ts'
import { systemReason } from '../../base/system-error.ts'
import { readConfig } from '../../config/read-config.ts'
import { readRecipients } from '../../offsite/offsite-work.ts'
import { RECIPIENTS_NAME } from '../../offsite/site-archive.ts'
import { EXIT, UsageError, type Command } from '../command.ts'
import { firstLineOf } from '../first-line.ts'

const DIRECTORY_MODE = 0o700
const FILE_MODE = 0o600

export const backupKeyCommand: Command = {
  name: 'backup key',
  summary: 'make the key that off-site backups are encrypted for, and print what to write down',
  options: [
    { flag: '--to', value: 'FILE', meaning: 'write the identity to a new file that only you can read, in place of printing it' },
    { flag: '--passphrase-stdin', meaning: 'with --to: encrypt that file with a passphrase from standard input, as "age -p" does' },
    { flag: '--recipient', value: 'age1…', meaning: 'use a key that you have, such as that of age-keygen, of which this is the public part' },
    { flag: '--add', meaning: 'encrypt for this key as well as for those that there are' },
    { flag: '--replace', meaning: 'encrypt for this key alone from now on' },
  ],
  settings: ['dataDir'],
  examples: ['dateline backup key', 'dateline backup key --to /media/usb/dateline-key.txt', 'dateline backup key --add --recipient age1…'],
  async run({ options, settings }, terminal) {
    const { dataDir } = readConfig(settings, terminal.environment)
    const directory = resolve(dataDir)
    const to = options.get('--to')
    const given = options.get('--recipient')
    if (options.has('--passphrase-stdin') && to === undefined) throw new UsageError('--passphrase-stdin needs --to FILE')
    if (given !== undefined && to !== undefined) throw new UsageError('Cannot write the identity of --recipient: only its owner has it')
    if (options.has('--add') && options.has('--replace')) throw new UsageError('dateline backup key takes --add or --replace, found both')
    const before = recipientsIn(directory)
    if (before !== '' && !options.has('--add') && !options.has('--replace')) {
      throw new UsageError(`Off-site backups are encrypted for a key already (${join(directory, RECIPIENTS_NAME)}): add another with --add, or use another from now on with --replace`)
    }
    const made = given === undefined ? newIdentity() : undefined
    const recipient = made?.recipient ?? checked(given ?? '')
    if (made !== undefined) {
      const text = `# dateline, created: ${isoDate(systemClock())}\n# public key: ${recipient}\n${made.identity}\n`
      if (to === undefined) terminal.stdout.write(text)
      else await writeIdentity(to, text, options.has('--passphrase-stdin') ? await firstLineOf(terminal.stdin, 'a passphrase') : undefined)
    }
    makeDirectory(directory, DIRECTORY_MODE)
    replaceFile(join(directory, RECIPIENTS_NAME), `${options.has('--add') ? before : ''}${recipient}\n`, FILE_MODE)
    const kept = to === undefined ? 'the three lines above' : `"${to}"`
    terminal.stderr.write(
      made === undefined
        ? `Off-site backups are encrypted for ${recipient} from now on\n`
        : `Keep ${kept} in two places outside of this machine, such as a password manager and paper: without the key, the backups ` +
            'cannot be read. This machine does not keep it. Earlier backups need the key that they were made with.\n',
    )
    return EXIT.ok
  },
}

function recipientsIn(directory: string): string {
  try {
    const text = readRecipients(directory) ?? ''
    return text === '' || text.endsWith('\n') ? text : `${text}\n`
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}: correct or remove "${join(directory, RECIPIENTS_NAME)}"`)
  }
}

function checked(recipient: string): string {
  try {
    parseRecipient(recipient)
    return recipient
  } catch (error) {
    if (error instanceof AgeError) throw new UsageError(error.message)
    throw error
  }
}

async function writeIdentity(file: string, text: string, passphrase: string | undefined): Promise<void> {
  const sealed = passphrase === undefined ? Buffer.from(text) : Buffer.concat(await Array.fromAsync(encryptAge([{ kind: 'passphrase', passphrase }], streamOf(Buffer.from(text)))))
  const descriptor = openNew(file)
  try {
    writeSync(descriptor, sealed)
    fsyncSync(descriptor)
  } catch (error) {
    rmSync(file, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
}

function openNew(file: string): number {
  try {
    return openSync(file, 'wx', FILE_MODE)
  } catch (error) {
    const remedy = 'choose a new file in a directory that is there'
    throw new UsageError(`Cannot write the key to "${file}": ${systemReason(error)}: ${remedy}`)
  }
}
