/**
 * The page: its language, who is signed in, and then the shell.
 */
import { Unauthorized } from '../client/client.ts'
import { hasDashboard } from '../models/caller.ts'
import type { User } from '../models/user.ts'
import { onTokenChangedElsewhere, storeChoice, storedChoice, storedToken, storeToken, tokenIsKeptBy } from './browser-storage.ts'
import { forgetInputs } from './kept-input.ts'
import { deviceKeeps, deviceQuestion, rememberDevice } from './device-question.ts'
import { currentScreenUrl, FIRST_RUN, hrefTo, replaceHref } from './screen-url.ts'
import { markReady } from './ready.ts'
import { shareSession } from './tab-session.ts'
import { openShell } from './shell.ts'
import { openSetup } from './screens/sign-in/setup-address.ts'
import { signInForm } from './screens/sign-in/sign-in-form.ts'
import { showSignInPage } from './screens/sign-in/sign-in-gate.ts'
import { newSignIn, type SignInState } from './screens/sign-in/sign-in-state.ts'
import { createSessionKeeper } from './signed-in.ts'
import { currentLanguage, isLanguage, preferredLanguage, t, useLanguage, type LanguageCode } from './texts.ts'
import { isUpgraded } from './upgrade.ts'
import { openDialog } from './kit/dialog.ts'
import { button, fill, h } from './kit/dom.ts'
import { clearNotices, notify } from './kit/notices.ts'
import { failureState } from './kit/states.ts'

const session = createSessionKeeper({ signInAgain, onForbidden: () => void lookAtRoles() })
const { client } = session
let user: User | undefined
/** What is shown now: the shell or the sign-in page. It ends when something else is. */
let shown = new AbortController()
/** Shows it once more, in another language. */
let showAgain = (): void => {}
/** Ends the wait for the reader who signs in again. */
let onSignedInAgain: ((signedIn: User) => void) | undefined
let isRoleTold = false
/** The reader signed in without saying whether the session is to stay, and never said so on this device. */
let isDeviceAsked = false

const tabs = shareSession({ onToken: (token) => void takeOffered(token), onEnded })
onTokenChangedElsewhere(() => void followOtherTab())
const chosen = storedChoice('language')
// Neither request waits for the other.
const asked = client.token === undefined ? undefined : client.auth.me()
asked?.catch(() => {})
await useLanguage(isLanguage(chosen) ? chosen : preferredLanguage(navigator.languages))
await start(asked)
markReady(document)

/** Goes on with the session that the browser or another tab has, or asks to sign in. `me` is whose it is, where that was asked. */
async function start(me?: Promise<User>): Promise<void> {
  const setupToken = takeSetupToken()
  if (setupToken === undefined && client.token === undefined) session.use(await tabs.take())
  if (client.token === undefined) {
    if (setupToken === undefined) return showSignIn(undefined, newSignIn(takeInvited()))
    const { reason, token } = await openSetup(client, setupToken)
    return showSignIn(reason, { ...newSignIn(), setupToken: token })
  }
  try {
    const found = await (me ?? client.auth.me())
    if (hasDashboard(found)) return showShell(found)
    session.forget()
    showSignIn(t('signIn.noDashboard'), newSignIn(found.email))
  } catch (error) {
    if (error instanceof Unauthorized) {
      const state = newSignIn('', tokenIsKeptBy())
      session.forget()
      return showSignIn(t('signIn.sessionEnded'), state)
    }
    next()
    document.body.className = ''
    const failed = failureState(error, () => void start())
    fill(document.body, h('main', { class: 'gate' }, failed))
  }
}

/** Of the address `#setup=…` that the service printed, whole or not; it stays neither in the address bar nor in a bookmark. */
function takeSetupToken(): string | undefined {
  const token = /^#setup=(.*)$/.exec(location.hash)?.[1]
  if (token !== undefined) replaceHref('#/')
  return token
}

/** The e-mail address of the link in an invitation, which does not stay in the address bar either. */
function takeInvited(): string {
  const email = currentScreenUrl().query.get('email') ?? ''
  if (email !== '') replaceHref('#/')
  return email
}

function next(): AbortSignal {
  shown.abort()
  shown = new AbortController()
  return shown.signal
}

function showShell(signedIn: User): void {
  user = signedIn
  forgetInputs(signedIn.id)
  showAgain = () => showShell(signedIn)
  const question = isDeviceAsked ? deviceQuestion(answerDevice) : undefined
  openShell({ client, user, question, signal: next(), signOut: () => void signOut(), restart, chooseLanguage })
}

function answerDevice(isOwn: boolean): void {
  isDeviceAsked = false
  rememberDevice(isOwn)
  if (isOwn) session.keep('browser')
}

function showSignIn(reason?: string, state: SignInState = newSignIn()): void {
  user = undefined
  showAgain = () => showSignIn(undefined, state)
  showSignInPage({
    ...{ client, state, reason, chooseLanguage, signal: next() },
    onSignedIn(signedIn) {
      keep(state)
      if (state.setupToken !== '') replaceHref(hrefTo([FIRST_RUN]))
      showShell(signedIn)
    },
  })
}

/** Keeps the session as the reader wants it, also on this device from now on. */
function keep({ kept }: SignInState): void {
  session.keep(kept)
  isDeviceAsked = kept === 'tab' && deviceKeeps() === undefined
  if (kept === 'browser' || deviceKeeps() === 'browser') rememberDevice(kept === 'browser')
  if (kept === 'tab' && client.token !== undefined) tabs.give(client.token)
}

/** Over the work that waits for it. Another user who signs in starts at the first page. */
async function signInAgain(): Promise<void> {
  const before = user
  const over = new AbortController()
  const state = newSignIn(before?.email, tokenIsKeptBy())
  const { promise, resolve } = Promise.withResolvers<User>()
  onSignedInAgain = resolve
  const form = signInForm({
    ...{ client, state, reason: t('signIn.sessionEnded'), signal: over.signal },
    onSignedIn(signedIn) {
      keep(state)
      resolve(signedIn)
    },
  })
  const dialog = openDialog({ title: t('signIn.title'), body: form, dismissable: false })
  const signedIn = await promise
  onSignedInAgain = undefined
  over.abort()
  dialog.close()
  if (signedIn.id !== before?.id) return beginAnew()
}

/** Nothing of the user before is left, and nothing that they had begun is sent. */
function beginAnew(): Promise<never> {
  session.close()
  shown.abort()
  location.replace('./')
  return new Promise(() => {})
}

/** Another tab of this browser has signed in or out. */
async function followOtherTab(): Promise<void> {
  const token = storedToken()
  // Another tab that finds the session ended forgets the token; here, work waits for the next one.
  if (token === client.token || (token === undefined && onSignedInAgain !== undefined)) return
  if (token === undefined || user === undefined) return location.reload()
  // Until it is known whose it is, nothing is sent with it; where that cannot be learned, nothing is lost for it.
  const now = await session.ownerOf(token).catch(() => undefined)
  if (now === undefined || token !== storedToken()) return
  if (now.id !== user.id) return void beginAnew()
  client.token = token
  onSignedInAgain?.(now)
}

/** Another tab has a session that is not to stay. This one takes it where it waits for a sign-in, of the same user if it has one. */
async function takeOffered(token: string): Promise<void> {
  if (user === undefined) {
    if (storedToken() !== undefined) return
    storeToken(token, 'tab')
    return location.reload()
  }
  const now = onSignedInAgain && (await session.ownerOf(token).catch(() => undefined))
  if (now === undefined || now.id !== user.id) return
  storeToken(token, 'tab')
  session.use(token)
  onSignedInAgain?.(now)
}

/** What is typed here is asked about by the browser; where the reader stays, the next request asks to sign in. */
function onEnded(token: string): void {
  if (token === client.token) location.reload()
}

/** Roles are looked at by the server at each request; the page has those of when it was opened. */
async function lookAtRoles(): Promise<void> {
  const now = await client.auth.me().catch(() => undefined)
  if (now === undefined || user === undefined || now.id !== user.id || isRoleTold) return
  if (now.dashboardRole === user.dashboardRole) return
  isRoleTold = true
  const reload = button(t('signIn.loadAgain'), () => location.reload(), { class: 'primary' })
  openDialog({ title: t('signIn.roleChanged'), body: h('p', {}, t('signIn.roleChangedText')), actions: [reload] })
}

/** What the page shows and offers is that of another role, or of no session. */
function restart(): void {
  replaceHref('./')
  void start()
}

async function signOut(): Promise<void> {
  const { token } = client
  const reason = await session.signOut().then(
    () => t('signIn.signedOut'),
    () => t('signIn.signedOutHere'),
  )
  if (token !== undefined) tabs.end(token)
  forgetInputs()
  clearNotices()
  showSignIn(reason)
}

async function chooseLanguage(code: LanguageCode): Promise<void> {
  const isInUse = await useLanguage(code).catch(() => undefined)
  if (isInUse === false) return
  if (isInUse === true) {
    storeChoice('language', code)
    showAgain()
  } else if (await isUpgraded()) {
    storeChoice('language', code)
    location.reload()
  } else notify(t('failure.network'), { kind: 'failed' })
  const select = document.querySelector<HTMLSelectElement>('select.language')
  if (select === null) return
  select.value = currentLanguage()
  select.focus()
}
