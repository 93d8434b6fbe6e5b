/** The page of a reader who is not signed in: the form, the language, and what has to be known to get in at all. */
import type { Client } from '../../../client/client.ts'
import type { DashboardSetup } from '../../../models/responses.ts'
import { t, type LanguageCode } from '../../texts.ts'
import { button, fill, h } from '../../kit/dom.ts'
import { notifyFailure } from '../../kit/notices.ts'
import { loadFirstRestore } from '../../screen-loading.ts'
import { languageChoice } from '../../kit/language-choice.ts'
import { signInForm } from './sign-in-form.ts'
import type { SignInOptions, SiteRestore } from './sign-in-state.ts'

const PRODUCT = 'Dateline'

export interface SignInPageOptions extends SignInOptions {
  readonly chooseLanguage: (code: LanguageCode) => void
}

export function showSignInPage({ chooseLanguage, ...options }: SignInPageOptions): void {
  const hints = h('div', {})
  const appName = h('bdi', {})
  // Once a code was sent, the notice about a missing administrator goes.
  const form = signInForm({ ...options, onSetupChanged: () => void tellSetup() })
  document.body.className = ''
  document.title = `${t('signIn.title')} · ${PRODUCT}`
  fill(
    document.body,
    h(
      'main',
      { class: 'gate' },
      h('p', { class: 'brand large' }, PRODUCT),
      h('div', {}, h('h1', {}, t('signIn.title')), h('p', { class: 'soft app-name' }, appName)),
      form,
      hints,
      languageChoice(chooseLanguage),
    ),
  )
  form.querySelector('input')?.focus()
  if (options.state.restore === undefined) void tellSetup()
  else void showRestore(options.state.restore)

  async function tellSetup(): Promise<void> {
    const setup = await readSetup(options.client, options.signal)
    if (setup === undefined || options.signal.aborted) return
    options.state.codesBy = setup.codesBy
    fill(appName, setup.appName !== PRODUCT && setup.appName)
    // The reader of the printed address is becoming the administrator.
    fill(
      hints,
      options.state.setupToken !== '' && button(t('firstRestore.offer'), () => void offerRestore(), { class: 'link' }),
      setupHints({ ...setup, hasAdministrator: setup.hasAdministrator || options.state.setupToken !== '' }),
    )
  }

  async function offerRestore(): Promise<void> {
    await showRestore({ place: '', keys: '', identity: '', at: '' })
    hints.querySelector('input')?.focus()
  }

  async function showRestore(restore: SiteRestore): Promise<void> {
    const { client, state, signal } = options
    try {
      const restoreForm = await loadFirstRestore()
      if (signal.aborted) return
      state.restore = restore
      form.hidden = true
      const leave = (): void => {
        state.restore = undefined
        form.hidden = false
        void tellSetup()
      }
      fill(hints, restoreForm({ client, token: state.setupToken, restore, signal, leave }))
    } catch (error) {
      notifyFailure(error)
    }
  }
}

/** What cannot be learned is not told; signing in says what is wrong. */
async function readSetup(client: Client, signal: AbortSignal): Promise<DashboardSetup | undefined> {
  try {
    return await client.dashboard.setup({ signal })
  } catch {
    return undefined
  }
}

/** A service without an administrator accepts no sign-in: this tells how to become one. */
function setupHints({ hasAdministrator, codesBy }: DashboardSetup): readonly (HTMLElement | false)[] {
  return [
    !hasAdministrator &&
      h(
        'section',
        { class: 'hint' },
        h('h2', {}, t('setup.title')),
        h('p', {}, t('setup.text')),
        h('pre', { dir: 'ltr' }, h('code', {}, 'dateline serve --admin-email you@example.org')),
      ),
    codesBy === 'terminal' && h('p', { class: 'hint' }, t('setup.codesOnTerminal')),
  ]
}
