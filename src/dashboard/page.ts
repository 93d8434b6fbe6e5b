/**
 * The page: its language, who is signed in, and then the shell.
 */
import { Unauthorized } from '../client/client.ts'
import { hasDashboard } from '../models/caller.ts'
import type { User } from '../models/user.ts'
import { onTokenChangedElsewhere, storeChoice, storedChoice, storedToken, tokenIsKeptBy } from './browser-storage.ts'
import { replaceHref } from './screen-url.ts'
import { markReady } from './ready.ts'
import { settleRemovals } from './removal.ts'
import { openShell } from './shell.ts'
import { signInForm } from './screens/sign-in/sign-in-form.ts'
import { showSignInPage } from './screens/sign-in/sign-in-gate.ts'
import { newSignIn, type SignInState } from './screens/sign-in/sign-in-state.ts'
import { createSessionKeeper } from './signed-in.ts'
import { currentLanguage, isLanguage, preferredLanguage, t, useLanguage, type LanguageCode } from './texts.ts'
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

onTokenChangedElsewhere(() => void followOtherTab())
const chosen = storedChoice('language')
await useLanguage(isLanguage(chosen) ? chosen : preferredLanguage(navigator.languages))
await start()
markReady(document)

/** Goes on with the session that the browser keeps, or asks to sign in. */
async function start(): Promise<void> {
  if (client.token === undefined) return showSignIn()
  try {
    const found = await client.auth.me()
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

function next(): AbortSignal {
  shown.abort()
  shown = new AbortController()
  return shown.signal
}

function showShell(signedIn: User): void {
  user = signedIn
  showAgain = () => showShell(signedIn)
  openShell({ client, user, signal: next(), signOut: () => void signOut(), restart, chooseLanguage })
}

function showSignIn(reason?: string, state: SignInState = newSignIn()): void {
  user = undefined
  showAgain = () => showSignIn(undefined, state)
  showSignInPage({
    ...{ client, state, reason, chooseLanguage, signal: next() },
    onSignedIn(signedIn) {
      session.keep(state.kept)
      showShell(signedIn)
    },
  })
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
      session.keep(state.kept)
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
  await settleRemovals()
  const reason = await session.signOut().then(
    () => t('signIn.signedOut'),
    () => t('signIn.signedOutHere'),
  )
  clearNotices()
  showSignIn(reason)
}

async function chooseLanguage(code: LanguageCode): Promise<void> {
  const isFetched = await useLanguage(code).then(
    () => true,
    () => false,
  )
  if (isFetched) {
    storeChoice('language', code)
    showAgain()
  } else notify(t('failure.network'), { kind: 'failed' })
  const select = document.querySelector<HTMLSelectElement>('select.language')
  if (select === null) return
  select.value = currentLanguage()
  select.focus()
}
