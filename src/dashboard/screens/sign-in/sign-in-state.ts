/** The progress of a sign-in; it outlives the form, which is rebuilt in another language. */
import type { Client } from '../../../client/client.ts'
import type { DashboardSetup, FirstRestored } from '../../../models/responses.ts'
import type { User } from '../../../models/user.ts'
import type { Kept } from '../../browser-storage.ts'
import { deviceKeeps } from '../../device-question.ts'

export interface SignInState {
  email: string
  /** Of the address that the service printed at its start: its reader becomes the first administrator. Empty without one. */
  setupToken: string
  /** A code was sent, and what is asked for now is the code. */
  isCodeSent: boolean
  code: string
  /** Where codes go; by mail as long as the service has not told. */
  codesBy: DashboardSetup['codesBy']
  kept: Kept
  /** When the service takes another request for a code, in milliseconds since the epoch. */
  sendAgainAt: number
  /** In place of becoming the first administrator. */
  restore?: SiteRestore | undefined
}

/** What the form of a restore holds, gone with the page; and the restore once it was asked for. */
export interface SiteRestore {
  place: string
  keys: string
  identity: string
  at: string
  sent?: { restored?: FirstRestored; error?: unknown } | undefined
}

export interface SignInOptions {
  readonly client: Client
  readonly state: SignInState
  /** Why one has to sign in, where there is something to say. */
  readonly reason?: string | undefined
  /** A code was sent, or the address of the first set-up is found to be over. */
  readonly onSetupChanged?: () => void
  /** Ends what the form has under way. */
  readonly signal: AbortSignal
  readonly onSignedIn: (user: User) => void
}

/** What each of the two steps, e-mail address and code, is given. */
export interface SignInStep extends SignInOptions {
  /** Where `tell` shows what is wrong, or nothing. */
  readonly problem: HTMLElement
  readonly tell: (words?: string) => void
  readonly requestCode: () => Promise<boolean>
  readonly openStep: (step: 'email' | 'code') => void
}

export function newSignIn(email = '', kept: Kept = deviceKeeps() ?? 'tab'): SignInState {
  return { email, setupToken: '', isCodeSent: false, code: '', codesBy: 'mail', kept, sendAgainAt: 0 }
}
