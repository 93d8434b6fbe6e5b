/**
 * Signing in with e-mail and code, as a page or in a dialog over work that goes on afterwards.
 *
 * Two steps in one place. The code may be pasted in one go, with spaces or whatever else stands around it, and is sent
 * as soon as it is complete.
 */
import type { Client } from '../../client/client.ts'
import type { User } from '../../models/user.ts'
import type { Kept } from '../browser-storage.ts'
import { t } from '../texts/texts.ts'
import { every, now } from '../timing.ts'
import { fill, h } from '../view/dom.ts'
import { wordsOf } from '../view/states.ts'

const CODE_DIGITS = 6
/** Between two codes; the server's own limits come later. */
const RESEND_MS = 30_000

export interface SignInOptions {
  readonly client: Client
  /** Where the form begins, such as why one has to sign in again. */
  readonly reason?: string
  /** The address of who signs in again. */
  readonly email?: string
  readonly keptBefore?: Kept
  readonly onSignedIn: (user: User, kept: Kept) => void
}

export function signInForm({ client, reason, email = '', keptBefore = 'tab', onSignedIn }: SignInOptions): HTMLElement {
  const failure = h('p', { class: 'field-problem', role: 'alert' })
  const fail = (error?: unknown): void => {
    fill(failure, error === undefined ? null : signInWords(error))
  }
  const address = h('input', {
    id: 'sign-in-email',
    name: 'email',
    type: 'email',
    autocomplete: 'email',
    required: true,
    autofocus: true,
    value: email,
  })
  const stays = h('input', { type: 'checkbox', checked: keptBefore === 'browser' })
  const send = h('button', { type: 'submit', class: 'primary wide' }, t('signIn.sendCode'))
  const firstStep = h(
    'form',
    { on: { submit: (event) => void requestCode(event) } },
    h('label', { class: 'field', for: 'sign-in-email' }, h('span', {}, t('signIn.email')), address),
    send,
  )
  const place = h('div', { class: 'sign-in' }, reason === undefined ? null : h('p', {}, reason), firstStep, failure)
  void explainSetUp()
  return place

  async function requestCode(event: SubmitEvent): Promise<void> {
    event.preventDefault()
    fail()
    send.disabled = true
    try {
      await client.auth.requestCode({ email: address.value.trim(), isDashboardLogin: true })
      showCodeStep()
    } catch (error) {
      fail(error)
    } finally {
      send.disabled = false
    }
  }

  function showCodeStep(): void {
    const left = new AbortController()
    const code = h('input', {
      id: 'sign-in-code',
      name: 'code',
      inputmode: 'numeric',
      autocomplete: 'one-time-code',
      class: 'code',
      required: true,
      on: {
        input() {
          const digits = code.value.replace(/\D/g, '').slice(0, CODE_DIGITS)
          if (digits !== code.value) code.value = digits
          if (digits.length === CODE_DIGITS) form.requestSubmit()
        },
      },
    })
    const enter = h('button', { type: 'submit', class: 'primary wide' }, t('signIn.enter'))
    const resend = h('button', { type: 'button', class: 'link', on: { click: () => void sendAgain() } })
    const back = (): void => {
      left.abort()
      fail()
      form.replaceWith(firstStep)
      address.focus()
    }
    let isBusy = false
    const form = h(
      'form',
      { on: { submit: (event) => void verify(event) } },
      h('p', {}, t('signIn.codeSent', { email: address.value.trim() })),
      h('label', { class: 'field', for: 'sign-in-code' }, h('span', {}, t('signIn.code')), code),
      h('label', { class: 'tick' }, stays, h('span', {}, t('signIn.stay'))),
      enter,
      h(
        'p',
        { class: 'buttons spread' },
        h('button', { type: 'button', class: 'link', on: { click: back } }, t('signIn.otherAddress')),
        resend,
      ),
    )
    let waitsUntil = 0
    const countDown = (): void => {
      const seconds = Math.ceil((waitsUntil - now()) / 1000)
      resend.disabled = seconds > 0
      fill(resend, seconds > 0 ? t('signIn.resendIn', { seconds }) : t('signIn.resend'))
    }
    const holdBack = (ms: number): void => {
      waitsUntil = now() + ms
      countDown()
    }
    holdBack(RESEND_MS)
    every(500, left.signal, countDown)
    firstStep.replaceWith(form)
    code.focus()

    async function sendAgain(): Promise<void> {
      fail()
      try {
        await client.auth.requestCode({ email: address.value.trim(), isDashboardLogin: true })
        holdBack(RESEND_MS)
        code.focus()
      } catch (error) {
        fail(error)
        if (error instanceof Error && 'retryAfterSeconds' in error) holdBack(Number(error.retryAfterSeconds) * 1000)
      }
    }

    async function verify(event: SubmitEvent): Promise<void> {
      event.preventDefault()
      if (isBusy) return
      isBusy = true
      enter.disabled = true
      fail()
      try {
        const email = address.value.trim()
        const { user } = await client.auth.verifyCode({ email, code: code.value, isDashboardLogin: true })
        left.abort()
        onSignedIn(user, stays.checked ? 'browser' : 'tab')
      } catch (error) {
        fail(error)
        code.select()
        code.focus()
      } finally {
        isBusy = false
        enter.disabled = false
      }
    }
  }

  /** Nobody can sign in to a service that has no administrator: tell how to become one. */
  async function explainSetUp(): Promise<void> {
    try {
      const { hasAdministrator, codesBy } = await client.dashboard.setup()
      const hints = [
        hasAdministrator
          ? null
          : h(
              'section',
              { class: 'hint' },
              h('h2', {}, t('setup.title')),
              h('p', {}, t('setup.text')),
              h('pre', {}, h('code', {}, 'dateline serve --admin-email you@example.org')),
            ),
        codesBy === 'terminal' ? h('p', { class: 'hint' }, t('setup.codesOnTerminal')) : null,
      ]
      place.append(...hints.filter((hint) => hint !== null))
    } catch {
      // What cannot be learned is not told; signing in says what is wrong.
    }
  }
}

/** The statuses that mean something here have words of their own. */
function signInWords(error: unknown): string {
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  if (status === 401) return t('signIn.unknownAddress')
  if (status === 403) return t('signIn.noDashboard')
  return wordsOf(error)
}
