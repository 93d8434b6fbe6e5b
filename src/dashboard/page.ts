/**
 * The page: its language, who is signed in, and then the shell.
 */
import { Unauthorized } from '../client/client.ts'
import { hasDashboard } from '../models/caller.ts'
import type { User } from '../models/user.ts'
import {
  forgetToken,
  onTokenChangedElsewhere,
  storeChoice,
  storedChoice,
  storedToken,
  tokenIsKeptBy,
} from './browser-storage.ts'
import { markReady } from './ready.ts'
import { signInForm } from './screens/sign-in.ts'
import { openShell } from './shell.ts'
import { createSessionKeeper } from './signed-in.ts'
import { isLanguage, preferredLanguage, t, useLanguage, type LanguageCode } from './texts/texts.ts'
import { openDialog } from './view/dialog.ts'
import { fill, h } from './view/dom.ts'
import { clearNotices } from './view/notices.ts'
import { failureState } from './view/states.ts'

const session = createSessionKeeper(signInAgain)
let user: User | undefined
let shell = new AbortController()

onTokenChangedElsewhere(() => {
  if (storedToken() !== session.client.token) location.reload()
})
const chosen = storedChoice('language')
await useLanguage(isLanguage(chosen) ? chosen : preferredLanguage(navigator.languages))
await start()
markReady(document)

/** Goes on with the session that the browser keeps, or asks to sign in. */
async function start(): Promise<void> {
  if (session.client.token === undefined) return showSignIn()
  try {
    const found = await session.client.auth.me()
    if (hasDashboard(found)) return showShell(found)
    showSignIn()
  } catch (error) {
    if (error instanceof Unauthorized) {
      forgetToken()
      session.client.token = undefined
      return showSignIn()
    }
    fill(
      document.body,
      h(
        'main',
        { class: 'gate' },
        failureState(error, () => void start()),
      ),
    )
  }
}

function showShell(signedIn: User): void {
  user = signedIn
  shell.abort()
  shell = new AbortController()
  openShell({
    client: session.client,
    user: signedIn,
    signal: shell.signal,
    signOut: () => void signOut(),
    restart,
    chooseLanguage: (code) => void chooseLanguage(code),
  })
}

function showSignIn(reason?: string): void {
  user = undefined
  shell.abort()
  document.body.className = ''
  document.title = `${t('signIn.title')} · Dateline`
  const form = signInForm({
    client: session.client,
    ...(reason === undefined ? {} : { reason }),
    onSignedIn(signedIn, kept) {
      session.keep(kept)
      showShell(signedIn)
    },
  })
  fill(
    document.body,
    h('main', { class: 'gate' }, h('p', { class: 'brand large' }, 'Dateline'), h('h1', {}, t('signIn.title')), form),
  )
  form.querySelector('input')?.focus()
}

/** Over the work that waits for it. Somebody else who signs in begins anew. */
async function signInAgain(): Promise<void> {
  const before = user
  const { promise, resolve } = Promise.withResolvers<User>()
  const keptBefore = tokenIsKeptBy()
  const form = signInForm({
    client: session.client,
    reason: t('signIn.sessionEnded'),
    keptBefore,
    ...(before === undefined ? {} : { email: before.email }),
    onSignedIn(signedIn, kept) {
      session.keep(kept)
      resolve(signedIn)
    },
  })
  const dialog = openDialog({ title: t('signIn.title'), body: form, dismissable: false })
  const signedIn = await promise
  dialog.close()
  if (signedIn.id !== before?.id) showShell(signedIn)
}

/** What the page shows and offers is that of another role, or of nobody. */
function restart(): void {
  history.replaceState(null, '', './')
  void start()
}

async function signOut(): Promise<void> {
  try {
    await session.signOut()
    clearNotices()
    showSignIn(t('signIn.signedOut'))
  } catch {
    clearNotices()
    showSignIn(t('signIn.signedOutHere'))
  }
}

async function chooseLanguage(code: LanguageCode): Promise<void> {
  storeChoice('language', code)
  await useLanguage(code)
  if (user !== undefined) showShell(user)
}
