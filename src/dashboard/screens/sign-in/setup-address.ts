/** The address that the service printed for its first administrator: whether it works, and what to do where it does not. */
import { Unauthorized, type Client } from '../../../client/client.ts'
import { t } from '../../texts.ts'

interface OpenedSetup {
  /** Why one signs in, and how. */
  readonly reason: string
  /** Empty where it does not work. */
  readonly token: string
}

/** Asks with the token alone, which makes no administrator. What cannot be learned now, the form tells. */
export async function openSetup(client: Client, token: string): Promise<OpenedSetup> {
  try {
    await client.auth.setup({ token, email: '' })
  } catch (error) {
    if (error instanceof Unauthorized) return { reason: await whyOver(client), token: '' }
  }
  return { reason: t('setup.first'), token }
}

/** Why the address does not work. */
export async function whyOver(client: Client): Promise<string> {
  const setup = await client.dashboard.setup().catch(() => undefined)
  return t(setup?.hasAdministrator === true ? 'setup.used' : 'setup.over')
}
