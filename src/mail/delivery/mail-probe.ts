/** Whether mail could leave now, without sending any. */
import { accessSync, constants } from 'node:fs'
import { resolve } from 'node:path'
import { nearestDirectory } from '../../base/directory.ts'
import { assertNever } from '../../base/failure.ts'
import { systemReason } from '../../base/system-error.ts'
import type { MailRoute } from '../settings/mail-settings.ts'
import { cannotUse } from '../../base/setting-file.ts'
import { createSmtpClient } from '../smtp/smtp.ts'

/** Resolves with what was found, as a clause. Rejects with a SettingError or a DeliveryError. */
export async function probeMail(route: MailRoute): Promise<string> {
  switch (route.kind) {
    case 'console':
      return 'is not set up: sign-in codes are printed to the service log'
    case 'file':
      requireWritable(resolve(route.directory))
      return 'is written to a directory that can be written to'
    case 'exec':
      return `is given to the program ${route.command.program}`
    case 'smtp': {
      await createSmtpClient(route.settings).probe()
      const { servers, login } = route.settings
      const names = servers.map(({ host, port }) => `${host}:${port}`).join(' and ')
      return `${names} ${servers.length === 1 ? 'answers' : 'answer'}${login === undefined ? '' : ' and accepts the login'}`
    }
    default:
      return assertNever(route)
  }
}

function requireWritable(directory: string): void {
  const found = nearestDirectory(directory)
  try {
    accessSync(found, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw cannotUse(
      { flag: '--mail', path: `file:${directory}` },
      `expected a directory, found none (${systemReason(error)})`,
    )
  }
}
