/** Fetches the second script: when one of its screens is opened, and before that in a quiet moment. */
import { NetworkError } from '../client/client.ts'
import type { OpenScreen } from './screen.ts'
import { after } from './timing.ts'

/** A screen of the first script, or the name of one in the second. */
export type LoadableScreen = OpenScreen | keyof typeof import('./second-script.ts').SECOND_SCREENS

/** By then the first screen has its rows, which come first on a slow connection. */
const QUIET_MS = 5000

/** Throws a NetworkError where the second script cannot be fetched: the service does not answer, or is another version by now. */
export async function loadScreen(screen: LoadableScreen): Promise<OpenScreen> {
  return typeof screen === 'function' ? screen : (await secondScript()).SECOND_SCREENS[screen]
}

/** The form of a restore in the first-run page. Throws as loadScreen() does. */
export async function loadFirstRestore(): Promise<typeof import('./second-script.ts').firstRestoreForm> {
  return (await secondScript()).firstRestoreForm
}

/** The dialogs that send, describe and choose pictures. Throws as loadScreen() does. */
export async function loadPictureDialogs(): Promise<typeof import('./second-script.ts').PICTURE_DIALOGS> {
  return (await secondScript()).PICTURE_DIALOGS
}

/** Fetches the second script once the browser is idle. A browser that does not tell (Safari) fetches it when it is needed. */
export function prefetchSecondScript(signal: AbortSignal): void {
  const idle = (): void => void globalThis.requestIdleCallback?.(() => void secondScript().catch(() => {}))
  const cancel = after(QUIET_MS, idle)
  signal.addEventListener('abort', cancel)
}

async function secondScript() {
  try {
    return await import('./second-script.ts')
  } catch (cause) {
    throw new NetworkError('Cannot fetch the second script', { status: 0, code: 'noReply', cause })
  }
}
